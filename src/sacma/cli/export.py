"""sacma export: pack COCO data for the COCO data archive."""

from pathlib import Path
from typing import Annotated

import typer

from sacma.cli.common import EXIT_FAILED, counted, err, fail, out, print_damage, print_list
from sacma.cli.interruption import this_command
from sacma.errors import SacmaError

EXAMPLES = (
    "sacma export results/study",
    "sacma export results/study --output archives --accept-warnings",
)


def export(
    results: Path = Path("results"),
    output: Annotated[Path | None, typer.Option(help="Folder of archives; default: RESULTS/export.")] = None,
    accept_warnings: Annotated[
        bool, typer.Option("--accept-warnings", help="Export although cocopp warns, of few instances for example.")
    ] = False,
) -> None:
    """Pack the COCO folder of each algorithm in RESULTS as NAME.tgz, ready for the COCO data archive.

    Each is checked: every trial of the study is there once, headers agree, data files are complete, and cocopp loads
    it without a warning.
    """
    from sacma.analysis.comparison import check_complete, check_finished
    from sacma.analysis.export import find_faults, load_in_cocopp, pack, read_folder
    from sacma.cli.tables import missing_lines
    from sacma.files.atomic import why_no_folder, write_atomically
    from sacma.store.completeness import completeness_of_studies
    from sacma.store.store import Store

    store = Store(results)
    covered = completeness_of_studies(store, whole=True)
    folder = output or results / "export"
    why = why_no_folder(folder)  # before what takes long
    if why:
        option, another = ("--output: ", "another") if output else ("", "another with --output")
        raise SacmaError(f"{option}{folder} cannot be a folder: {why}; give {another}")
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
            faults = find_faults(contents, places)
            if faults:
                more = f" (and {counted(len(faults) - 1, 'more fault')})" if len(faults) > 1 else ""
                fail(f"{study.name}: {faults[0]}{more}", EXIT_FAILED)
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
