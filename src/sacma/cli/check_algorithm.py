"""sacma check-algorithm: check an algorithm against its contract."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from sacma.cli.common import EXIT_FAILED, counted, fail, out, print_check_results
from sacma.errors import SacmaError

if TYPE_CHECKING:
    from sacma.config.study import Study


EXAMPLES = (
    "sacma check-algorithm surrogate-cmaes",
    "sacma check-algorithm --algorithm-file examples/own_optimizer.py",
)


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

    It must end when its trial is ended, at a budget or a target; give the same points each time; use no generator but
    its own; and leave nothing behind. Exit code 1 if it does not.
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

    if name not in ALGORITHMS:
        if name.endswith((".yaml", ".yml")):
            return load_study(Path(name))
        raise SacmaError(f"{name} is neither an algorithm nor a config; known: {', '.join(ALGORITHMS)}")
    try:
        settings = ALGORITHMS[name].settings()
    except ValidationError as error:
        if any(detail["type"] != "missing" for detail in error.errors()):
            raise SacmaError(f"{name} refuses its default settings: {first_problem(error)}; give a config") from None
        missing = ", ".join(str(detail["loc"][0]) for detail in error.errors())
        raise SacmaError(f"{name} has settings without defaults, {missing}; give a config that sets them") from None
    return Study(name=name, algorithm=name, settings=settings, origin=ALGORITHMS.origin(name))
