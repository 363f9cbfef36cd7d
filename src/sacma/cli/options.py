"""Options that several commands share: declared once, by name, and gathered in groups."""

import functools
import glob
import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from sacma.errors import SacmaError


def _folder_of_results(given: str | Path) -> Path:
    """Return the folder; refuse "", the value of a shell's variable that is not set, instead of writing here."""
    if given == "":
        raise SacmaError("the folder of results is ''; allowed: a path, such as results")
    return Path(given)


# Declarations of the parameters of commands that have one of these names and no declaration of their own.
DECLARATIONS: Mapping[str, Any] = {
    "configs": typer.Argument(help="Config files, one algorithm each, or the folder of results.", metavar="CONFIG"),
    "suite": typer.Option(help="COCO suite: bbob, bbob-noisy or bbob-largescale."),
    "functions": typer.Option(help="Functions, like 1-5,8."),
    "dimensions": typer.Option(help="Dimensions, like 2,5."),
    "instances": typer.Option(help="Instances, like 1-5,41-50."),
    "budget": typer.Option(help="True evaluations of a trial, divided by D."),
    "target": typer.Option(help="Δf at which a trial stops."),
    "seed": typer.Option(help="Seed of the study."),
    "results": typer.Option(
        help="Folder of results; may be given as an argument.",
        envvar="SACMA_RESULTS",
        parser=_folder_of_results,
        metavar="PATH",
    ),
    "folder": typer.Argument(
        help="Folder of results, as with --results.", parser=_folder_of_results, metavar="RESULTS"
    ),
    "shard": typer.Option(help="Only shard K of N, like 2/10: for job arrays.", metavar="K/N"),
    "algorithm_file": typer.Option(help="Python file with algorithms of your own; may be repeated.", metavar="FILE"),
    "jobs": typer.Option(min=1, help="Parallel trials; default: the number of cores."),
    "scheduler": typer.Option(help="Run trials on a dask cluster, like tls://host:8786.", metavar="ADDRESS"),
    "retries": typer.Option(min=0, help="Further attempts at a trial that fails."),
    "trial_timeout": typer.Option(min=0.001, max=1e8, help="Seconds after which a trial is ended as failed."),
    "failed_only": typer.Option("--failed-only", help="Run only trials that failed before."),
}


@dataclass(frozen=True)
class ProtocolOptions:
    """Options that replace keys of the protocol."""

    suite: str | None = None
    functions: str | None = None
    dimensions: str | None = None
    instances: str | None = None
    budget: float | None = None
    target: float | None = None
    seed: int | None = None

    @property
    def given(self) -> dict[str, object]:
        """The keys that are to be replaced."""
        return {key: value for key, value in vars(self).items() if value is not None}


@dataclass(frozen=True)
class RunOptions:
    """Options on how trials are run; see ``sacma.experiment.run.run_trials``."""

    jobs: int | None = None
    scheduler: str | None = None
    retries: int = 1
    trial_timeout: float | None = None
    failed_only: bool = False


def _for_a_folder(names: Collection[str]) -> Iterator[inspect.Parameter]:
    """Yield the further parameters of a command that takes its folder of results as argument, too."""
    if "results" in names:
        yield inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
        if "configs" not in names:
            folder = Annotated[Path | None, DECLARATIONS["folder"]]
            yield inspect.Parameter("folder", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=folder)


def _take_folder(given: dict[str, Any], ctx: typer.Context) -> None:
    """Let an argument be the folder of results: ``folder``, or one of the configs."""
    folders = [given.pop("folder", None)]
    if given.get("configs"):
        folders = list(filter(_is_folder_of_results, given["configs"]))
        given["configs"] = [path for path in given["configs"] if path not in folders]
    source = ctx.get_parameter_source("results")
    if source is not None and source.name == "COMMANDLINE":
        folders.append(given["results"])
    different = list(dict.fromkeys(filter(None, folders)))
    if len(different) > 1:
        raise SacmaError(f"two folders of results are given, {different[0]} and {different[1]}; give one")
    given["results"] = different[0] if different else given["results"]


def _is_folder_of_results(path: Path) -> bool:
    """Return whether a path among configs is one: it is there, or empty, or could be made and is no mistyped config."""
    if path.is_dir():
        return (path / "studies").is_dir() or not any(path.iterdir())
    return not path.suffix and not path.exists() and not any(path.parent.glob(f"{glob.escape(path.name)}.y*ml"))


def declared(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command as typer takes it: parameters are declared, and groups replaced by their fields."""
    groups: dict[str, Any] = {}
    parameters: list[inspect.Parameter] = []

    def declare(name: str, annotation: Any, default: Any) -> None:
        if not hasattr(annotation, "__metadata__"):
            annotation = Annotated[annotation, DECLARATIONS[name]]
        parameters.append(
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        )

    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        group = parameter.annotation
        if is_dataclass(group):
            groups[parameter.name] = group
            hints = get_type_hints(group)
            for field in fields(group):
                declare(field.name, hints[field.name], field.default)
        else:
            declare(parameter.name, group, parameter.default)

    parameters += _for_a_folder({parameter.name for parameter in parameters})

    @functools.wraps(command)
    def flat(**given: Any) -> None:
        if ctx := given.pop("ctx", None):
            _take_folder(given, ctx)
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        command(**given)

    flat.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    flat.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return flat
