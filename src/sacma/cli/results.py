"""sacma status, export and replay: commands on finished trials."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from sacma.cli.console import EXIT_FAILED, as_argument, counted, err, fail, out, output_folder, print_damage, print_list
from sacma.cli.interruption import this_command
from sacma.errors import RunError, SacmaError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sacma.analysis.comparison import Covered
    from sacma.store.store import Store


def status(
    results: Path = Path("results"),
    tracebacks: Annotated[bool, typer.Option("--tracebacks", help="Show failures in full.")] = False,
) -> None:
    """Show finished, missing and failed trials in RESULTS, the process that writes to it, and the next command."""
    from sacma.cli.tables import missing_lines, status_table
    from sacma.store.completeness import completeness_of_studies, resuming
    from sacma.store.store import Store

    store = Store(results)
    covered = completeness_of_studies(store)
    out.print(status_table(covered))
    missing = [line for _, completeness in covered for line in missing_lines(completeness)]
    if any(completeness.heads for _, completeness in covered):
        print_list("missing", missing)
    print_damage([damage for _, completeness in covered for damage in completeness.damaged], out)
    failures = [completeness.failures[spec.key] for _, completeness in covered for spec in completeness.failed]
    for failure in failures if tracebacks else ():
        out.print(Text(f"\n{failure.spec}: {failure.kind}: {failure.error}\n{failure.traceback}"), soft_wrap=True)
    if not tracebacks:
        print_list("failed", [f"{f.spec}: {f.kind}: {f.error} ({counted(f.attempts, 'time')})" for f in failures])
    environments = {head.environment for _, completeness in covered for head in completeness.heads.values()}
    if len(environments) > 1 and not store.kept_file.exists():
        out.print(f"note: the trials ran in {len(environments)} environments; provenance/ says which")
    writer = store.writer()
    if writer is not None:
        out.print(Text(f"running: {writer}"), soft_wrap=True)
        return
    command = resuming(results, covered) if missing else _next_command(store, covered)
    out.print(Text(f"next: {shlex.join(command)}"), soft_wrap=True)
    if "--algorithm-file" in command:
        out.print("note: it runs the algorithm file that the results name, if you trust that file", soft_wrap=True)


def _next_command(store: "Store", covered: "Sequence[Covered]") -> list[str]:
    """Return the command for results without missing trials; say if they are kept outcomes."""
    from sacma.store.catalogue import kept_root

    if store.kept_file.exists():
        out.print("kept outcomes of ended trials: they can be compared, not continued, replayed or exported")
        if store.kept_file.resolve().is_relative_to(kept_root()):
            return ["sacma", "postprocess", "RESULTS", "--against", ",".join(study.name for study, _ in covered)]
    if (store.root / "sweep").is_dir():  # its settings are no algorithms to compare
        return ["sacma", "sweep", "SWEEP.yaml", "--results", str(store.root), "--rank-only"]
    return ["sacma", "postprocess", as_argument(store.root)]


def export(
    results: Path = Path("results"),
    output: Annotated[Path | None, typer.Option(help="Folder of archives; default: RESULTS/export.")] = None,
    accept_warnings: Annotated[
        bool, typer.Option("--accept-warnings", help="Export although cocopp warns, of few instances for example.")
    ] = False,
) -> None:
    """Pack the COCO folder of each algorithm in RESULTS as NAME.tgz, ready for the COCO data archive.

    Each archive is checked: cocopp loads every trial of the study, without a warning.
    """
    from sacma.analysis.comparison import check_complete, check_finished
    from sacma.analysis.export import load_in_cocopp, pack, read_folder
    from sacma.cli.tables import missing_lines
    from sacma.files.atomic import write_atomically
    from sacma.store.completeness import completeness_of_studies
    from sacma.store.store import Store

    store = Store(results)
    covered = completeness_of_studies(store, whole=True)
    folder = output_folder(output, results / "export")
    print_damage([damage for _, completeness in covered for damage in completeness.damaged])
    check_finished(store, covered)
    print_list("missing", [line for _, completeness in covered for line in missing_lines(completeness)], err)
    check_complete(store, covered)
    store.prepare("copy it to where it can: COCO data are made in it")
    with store.lock_derived(this_command()):
        for study, completeness in covered:
            store.derive(study)
            contents = read_folder(store.coco_folder(study.name))
            places = [spec.place for spec in completeness.specs]
            archive = pack(study.name, contents)
            warned = load_in_cocopp(study.name, archive, places)
            print_list(f"{study.name}: cocopp warns", warned, err)
            if warned and not accept_warnings:
                fail(
                    f"{study.name} is not exported: cocopp warns of it; see to what it says, or to export it as it is: "
                    f"{this_command('--accept-warnings')}",
                    EXIT_FAILED,
                )
            path = folder / f"{study.name}.tgz"
            write_atomically(path, archive)
            out.print(f"{path}: {counted(len(places), 'trial')}, {len(archive) / 1e6:.1f} MB, checked", soft_wrap=True)


def replay(
    record: Annotated[Path, typer.Argument(help="A file *.record of a results folder.", metavar="RECORD")],
    algorithm_file: list[Path] | None = None,
) -> None:
    """Run the trial of RECORD again, and tell if it gives the same bits, or where it first differs.

    Exit code 1 if it differs. Differences between the environments then and now are listed, too.
    """
    from sacma.files.untrusted import read_file
    from sacma.store.outcome import DamagedRecordError
    from sacma.store.record import decode

    try:
        content = decode(read_file(record))
    except OSError as error:
        raise SacmaError(f"{record} cannot be read: {error.strerror}") from None
    except DamagedRecordError as error:
        raise SacmaError(f"{record} is damaged or no record: {error}") from None
    from sacma.algorithms.registry import ALGORITHMS
    from sacma.config.plan import resolve_algorithm
    from sacma.experiment.replay import replay as run_again

    old = content.provenance
    out.print(f"{content.spec}, run on {old.host} at {old.started} with sacma {old.environment.sacma}", soft_wrap=True)
    ALGORITHMS.add_files(algorithm_file or ())
    resolve_algorithm(content.spec)
    try:
        result = run_again(content)
    except Exception as error:
        raise RunError(f"{content.spec} fails now: {type(error).__name__}: {error}") from error
    for phrase in result.environment:
        out.print(Text(f"environment differs, then / now: {phrase}"), soft_wrap=True)
    if result.difference is None:
        out.print("bit-identical")
        return
    fail(f"differs first at {result.difference}", EXIT_FAILED)
