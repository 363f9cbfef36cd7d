"""The report of the comparison of docs/comparison.md, as ``sacma postprocess`` writes it. It runs nothing.

Run as ``python -m benchmarks.comparison_report FOLDER... --to RESULTS``, for folders as ``comparison.py`` takes them:
the page is RESULTS/report/index.html. Of outcomes there are no traces, so that figures of single trials are missing.
"""

import argparse
from pathlib import Path

from joblib import cpu_count

from benchmarks.comparison import add_folders, read
from benchmarks.report import parsed
from sacma.analysis.notes import notes
from sacma.analysis.postprocess import write_report
from sacma.store.store import Store


def main() -> None:
    """Write the report, and print where its page is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_folders(parser)
    parser.add_argument("--to", type=Path, required=True, metavar="RESULTS")
    given = parsed(parser)
    comparison = read(given.folders, given)
    given.to.mkdir(parents=True, exist_ok=True)
    written = write_report(
        Store(given.to), comparison, (), notes(comparison), jobs=cpu_count(), pdf=not given.tiny, pages=False
    )
    print(f"{written.page}: {len(comparison.trials):,} trials, {written.figures} figures")


if __name__ == "__main__":
    main()
