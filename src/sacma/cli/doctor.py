"""sacma doctor: check the installation."""

import sys
from pathlib import Path

from sacma.cli.common import EXIT_FAILED, counted, fail, out, print_check_results

EXAMPLES = (
    "sacma doctor",
    "sacma doctor /scratch/results",
)


def doctor(results: Path = Path("results")) -> None:
    """Check that everything sacma needs is installed and works, and say how to mend what does not.

    Versions, cores, the terminal, space and rights in RESULTS and for temporary files, BLAS, the compiled surrogate,
    figures, worker processes and cocopp. Changes nothing. Exit code 1 if something is broken.
    """
    from sacma.experiment.installation_check import examine

    broken = print_check_results(examine(results, sys.stdout.encoding))
    if broken:
        fail(f"{counted(broken, 'point')} broken; the lines above say how to mend them", EXIT_FAILED)
    out.print("nothing is broken")
