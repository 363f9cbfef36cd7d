"""Write the package's tables of cocopp's run-length-based targets, and of the best aRT of BBOB 2009 to them and others.

    python tools/best2009_targets.py [OUTPUT] [--tiny]     # tiny: of the first function and dimension alone

The others, in best2009_art.csv beside OUTPUT, are five a decade from 100 to 1e-8. Those of the first table are asked
of the very object that ``cocopp --expensive`` draws its run length distributions with, without its
dropping of repeated targets. Its reference data are read from a copy: cocopp unpacks them where they lie.
"""

import shutil
import sys
import tempfile
import warnings
from pathlib import Path

import pandas as pd

warnings.filterwarnings("ignore", module="cocopp.archiving")

import cocopp  # noqa: E402
from cocopp import bestalg, config, genericsettings, testbedsettings  # noqa: E402

OUTPUT = Path(__file__).parent.parent / "src" / "sacma" / "analysis" / "reference" / "best2009_targets.csv"
# Δf, not below those of the reference data for rounding.
ABSOLUTE = [10 ** (exponent / 5) * (1 + 1e-9) for exponent in range(10, -41, -1)]


def main() -> None:
    """Write the tables to the file given and beside it, or to their places in the package."""
    given = [argument for argument in sys.argv[1:] if argument != "--tiny"]
    output = Path(given[0]) if given else OUTPUT
    tiny = "--tiny" in sys.argv
    if tiny and output == OUTPUT:
        sys.exit("--tiny needs an OUTPUT of its own")
    genericsettings.isExpensive = True
    config.config("bbob")
    target_values = testbedsettings.current_testbed.pprldmany_target_values
    target_values.unique_target_values = False
    packed = Path(cocopp.__file__).parent / testbedsettings.current_testbed.reference_algorithm_filename
    rows, absolute = [], {}
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(packed, folder)
        best = target_values.reference_data = bestalg.load_reference_algorithm(copy, force=True, relative_load=False)
        for dimension, function in sorted(best)[: 1 if tiny else None]:
            targets = target_values((function, dimension))
            absolute[function, dimension] = best[dimension, function].detERT(ABSOLUTE)
            evaluations, algorithms, _ = best[dimension, function].detEvals(targets)
            for k, target, art, algorithm in zip(
                target_values.run_lengths, targets, evaluations, algorithms, strict=True
            ):
                reached = float(art[0]) if algorithm else float("inf")
                rows.append((function, dimension, float(k), float(target), reached))
    table = pd.DataFrame(rows, columns=["function", "dimension", "k", "target", "best_2009_art"])
    table.to_csv(output, index=False)
    wide = pd.DataFrame(absolute, index=[f"{target:.4g}" for target in ABSOLUTE]).T.rename_axis(
        ["function", "dimension"]
    )
    wide.to_csv(output.with_name("best2009_art.csv"), float_format="%.6g")
    print(f"{len(table)} targets written to {output}")


if __name__ == "__main__":
    main()
