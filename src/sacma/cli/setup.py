"""sacma init, algorithms, check-algorithm and doctor: before anything is run."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from sacma.cli.console import EXIT_FAILED, as_argument, counted, fail, out, print_check_results
from sacma.errors import SacmaError

if TYPE_CHECKING:
    from sacma.cli.tables import FieldRow
    from sacma.config.study import Study


def init(folder: Annotated[Path, typer.Argument(help="Where to write them.", metavar="FOLDER")] = Path()) -> None:
    """Write the configs and examples that come with sacma to FOLDER, so that the commands of the README work.

    A file that is there already is left as it is.
    """
    from sacma.config.templates import template_paths, template_root
    from sacma.files.atomic import write_atomically

    paths = {folder / path.relative_to(template_root()): path for path in template_paths()}
    new = {path: template for path, template in paths.items() if not path.exists()}
    for path, template in new.items():
        write_atomically(path, template.read_bytes())
    there = f", {len(paths) - len(new)} were there" if len(new) < len(paths) else ""
    out.print(f"{counted(len(new), 'file')} written{there}, in {folder.resolve()}", soft_wrap=True)
    config = shlex.quote(as_argument(folder / "configs" / "ada_kendall.yaml"))
    out.print(f"next: sacma run {config} --functions 1,8 --dimensions 5 --instances 1-5", soft_wrap=True)


def algorithms(
    algorithm_file: list[Path] | None = None,
    kept: Annotated[
        bool,
        typer.Option(
            "--kept",
            help="List those whose outcomes come with sacma, for sacma postprocess --against; in the column from: the "
            "folders of data/ in the repository that have them.",
        ),
    ] = False,
) -> None:
    """List the algorithms that a config can name, with their settings, defaults and ranges; or the kept ones."""
    if kept:
        from sacma.cli.tables import kept_tables
        from sacma.store.catalogue import kept_algorithms

        out.print(kept_tables(kept_algorithms()))
        return
    from sacma.algorithms.registry import ALGORITHMS
    from sacma.cli.tables import description, field_rows, part_models
    from sacma.config.study import Config, Protocol

    ALGORITHMS.add_files(algorithm_file or ())
    out.print(description("config", "the keys of a YAML file", Config, set()))
    known: set[FieldRow] = set()
    for name, algorithm in ALGORITHMS.items():
        parts = [(f"algorithm: {name}", algorithm.summary, algorithm.settings), *part_models(algorithm.settings)]
        for title, summary, model in parts:
            out.print(description(title, summary, model, known))
            known.update(field_rows(model))
    out.print(description("protocol", "what is run, of any algorithm", Protocol, set()))


def check_algorithm(
    algorithms: Annotated[
        list[str] | None,
        typer.Argument(
            help="Names that sacma algorithms lists, or configs; default: all that the files define.",
            metavar="ALGORITHM",
        ),
    ] = None,
    algorithm_file: list[Path] | None = None,
) -> None:
    """Run small trials of an algorithm in processes of their own, and list the points of its contract that it breaks.

    An algorithm ends when its trial is ended, at a budget or a target; it gives the same points each time; and it
    draws from its own generator alone. Exit code 1 if it breaks a point.
    """
    from sacma.algorithms.registry import ALGORITHMS
    from sacma.config.plan import plan_study
    from sacma.experiment.algorithm_check import examine

    ALGORITHMS.add_files(algorithm_file or ())
    given = algorithms or [name for name in ALGORITHMS if (origin := ALGORITHMS.origin(name)) and origin.is_file]
    if not given:
        raise SacmaError("name an ALGORITHM or a config, or give --algorithm-file")
    broken = 0
    for study in [_study(name) for name in given]:
        out.print(Text(f"{study.name}: {ALGORITHMS[study.algorithm].summary}", style="bold"), soft_wrap=True)
        broken += print_check_results(examine(next(plan_study(study))))
    if broken:
        fail(f"{counted(broken, 'point')} of the contract broken; docs/own_algorithm.md says what to do", EXIT_FAILED)


def _study(name: str) -> "Study":
    """Return a study of an algorithm by its name, with its default settings, or of a config."""
    from pydantic import ValidationError

    from sacma.algorithms.registry import ALGORITHMS
    from sacma.config.study import Study, load_study
    from sacma.files.untrusted import first_problem

    if name.endswith((".yaml", ".yml")):
        return load_study(Path(name))
    if name not in ALGORITHMS:
        raise SacmaError(f"{name} is neither an algorithm nor a config; known: {', '.join(ALGORITHMS)}")
    try:
        settings = ALGORITHMS[name].settings()
    except ValidationError as error:
        raise SacmaError(f"{name} refuses its default settings: {first_problem(error)}; give a config") from None
    return Study(name=name, algorithm=name, settings=settings, origin=ALGORITHMS.origin(name))


def doctor(results: Path = Path("results")) -> None:
    """Check that sacma is installed and works, and say how to mend faults.

    Versions, space and rights in RESULTS and for temporary files, a trial in a worker process, and cocopp. Changes
    nothing; pip check tells of missing packages. Exit code 1 if something is broken.
    """
    from sacma.experiment.installation_check import examine

    broken = print_check_results(examine(results))
    if broken:
        fail(f"{counted(broken, 'point')} broken; the lines above say how to mend them", EXIT_FAILED)
    out.print("nothing is broken")
