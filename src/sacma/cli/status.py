"""sacma status: show how complete results are, and the next command."""

import shlex
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from sacma.cli.common import as_argument, counted, out, print_damage, print_list

EXAMPLES = (
    "sacma status results/study",
    "sacma status --tracebacks",
)


def status(
    results: Path = Path("results"),
    tracebacks: Annotated[bool, typer.Option("--tracebacks", help="Show failures in full.")] = False,
) -> None:
    """Show what is done, missing and failed in RESULTS, which process writes to it, and the next command."""
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
    if len(environments) > 1:
        out.print(f"note: the trials ran in {len(environments)} environments; provenance/ says which")
    writer = store.writer()
    if writer is not None:
        out.print(Text(f"running: {writer}"), soft_wrap=True)
        return
    command = ["sacma", "postprocess", as_argument(results)]
    if missing:
        command = resuming(results, covered)
    elif (store.root / "sweep").is_dir():  # its settings are no algorithms to compare
        command = ["sacma", "sweep", "SWEEP.yaml", "--results", str(results), "--rank-only"]
    out.print(Text(f"next: {shlex.join(command)}"), soft_wrap=True)
    if "SWEEP.yaml" in command:
        out.print("note: SWEEP.yaml is the file of the sweep; give the options again with which it ran", soft_wrap=True)
    if "--algorithm-file" in command:
        out.print("note: it runs the algorithm file that the results name, if you trust that file", soft_wrap=True)
