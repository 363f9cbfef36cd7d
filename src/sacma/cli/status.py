"""sacma status: how complete results are, and what to do next."""

import shlex
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from sacma.cli.common import ResultsArgument, counted, out, print_damage, print_list

EXAMPLES = (
    "sacma status results/study",
    "sacma status --tracebacks",
)


def status(
    results: ResultsArgument = Path("results"),
    tracebacks: Annotated[bool, typer.Option("--tracebacks", help="Show failures in full.")] = False,
) -> None:
    """Show what is done, missing and failed of each study in RESULTS, who works on it, and the next command."""
    from sacma.experiment.coverage import cover_studies  # noqa: PLC0415
    from sacma.experiment.store import Store  # noqa: PLC0415
    from sacma.terminal import missing_lines, status_table  # noqa: PLC0415

    store = Store(results)
    covered = cover_studies(store)
    out.print(status_table(covered))
    missing = [line for _, coverage in covered for line in missing_lines(coverage)]
    if any(coverage.heads for _, coverage in covered):
        print_list("missing", missing)
    print_damage([damage for _, coverage in covered for damage in coverage.damaged], out)
    failures = [coverage.failures[spec.key] for _, coverage in covered for spec in coverage.failed]
    for failure in failures if tracebacks else ():
        out.print(Text(f"\n{failure.spec}: {failure.kind}: {failure.error}\n{failure.traceback}"), soft_wrap=True)
    if not tracebacks:
        print_list("failed", [f"{f.spec}: {f.kind}: {f.error} ({counted(f.attempts, 'time')})" for f in failures])
    environments = {key for _, coverage in covered for key in coverage.environments}
    if len(environments) > 1:
        out.print(f"note: the trials ran in {len(environments)} environments; provenance/ says which")
    writer = store.writer()
    if writer is not None:
        out.print(Text(f"running: {writer}"), soft_wrap=True)
        return
    command = ["sacma", "postprocess", str(results)]
    if missing:
        command = ["sacma", "run", "--results", str(results)]
        if all(coverage.failed == coverage.missing for _, coverage in covered):
            command.insert(2, "--failed-only")
    out.print(f"next: {shlex.join(command)}", soft_wrap=True)
