"""Outcomes of a study in one small file, from which its figures are found again without running it.

Run as ``python -m benchmarks.outcomes RESULTS... FOLDER``: it writes FOLDER/outcomes.parquet of all trials that the
folders RESULTS have, which may be kept outcomes themselves; see ``sacma.store.kept``. Δf is exact at the budgets of
the report, and, of results, at those to the target among all algorithms and among those of each reading of the paper.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.common import ROOT, end, parsed
from sacma.analysis.against import FIRST_BUDGET
from sacma.analysis.comparison import compare
from sacma.analysis.published import READINGS
from sacma.analysis.trials import fixed_budgets
from sacma.config.study import Study
from sacma.store.completeness import completeness_of_studies
from sacma.store.kept import KeptStudy, KeptTrial, read_kept, write_kept
from sacma.store.record import TrialRecord, decode
from sacma.store.store import Store
from sacma.store.stored_study import StoredStudy

Place = tuple[int, int]  # dimension, function


def main() -> None:
    """Write the file, and say how many trials are in it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, nargs="+")
    parser.add_argument("folder", type=Path)
    given = parsed(parser, {})
    kept = merged(study for folder in given.results for study in studies_in(folder))
    looks = looks_of(given.results)
    path = Store(given.folder).kept_file
    write_kept(path, kept, lambda dimension, function: looks[dimension, function])
    print(f"{path}: {sum(len(study.trials) for study in kept):,} trials, {path.stat().st_size / 1e6:.2f} MB")


def studies_in(folder: Path) -> Iterator[KeptStudy]:
    """Yield the studies of a folder of results or of kept outcomes."""
    store = Store(folder)
    if store.kept_file.exists():
        yield from read_kept(store.kept_file)
        return
    for study in store.studies():
        records = (found for found in store.read(study.specs(), decode) if isinstance(found, TrialRecord))
        trials = [KeptTrial(r.spec, r.outcome, r.provenance.environment, r.provenance.ended[:10]) for r in records]
        yield KeptStudy(StoredStudy(tuple(map(_without_folder, study.parts))), trials)


def _without_folder(study: Study) -> Study:
    """Return the study with the path of its algorithm's file from the repository's root, or only the file's name.

    Where a clone lay on one machine helps nobody; the version, a hash of the file, stays.
    """
    if study.origin is None or not study.origin.is_file:
        return study
    path = Path(study.origin.source)
    source = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
    return study.model_copy(update={"origin": replace(study.origin, source=source)})


def merged(studies: Iterable[KeptStudy]) -> Sequence[KeptStudy]:
    """Return studies, those of one name and the same settings as one; of a trial the last counts."""
    found: dict[str, KeptStudy] = {}
    for new in studies:
        name, study, trials = new.study.name, new.study, {trial.spec: trial for trial in new.trials}
        if known := found.get(name):
            if not all(map(known.study.mixes_with, study.parts)):
                end(f"two folders have {name} with other settings, budget or seed; keep them apart")
            for part in known.study.parts:
                study = study.extended_by(part)
            trials = {trial.spec: trial for trial in known.trials} | trials
        found[name] = KeptStudy(study, list(trials.values()))
    return list(found.values())


def looks_of(folders: Sequence[Path]) -> dict[Place, list[int]]:
    """Return the evaluation numbers at which the report, and the paper's readings, look at Δf."""
    looks = defaultdict[Place, set[int]](set)
    covered = [each for folder in folders for each in completeness_of_studies(Store(folder))]
    for names in ({study.name for study, _ in covered}, *(reading.names for reading in READINGS)):
        among = [(study, there) for study, there in covered if study.name in names and there.heads]
        if among:
            comparison = compare(among)
            scenarios = (*fixed_budgets([FIRST_BUDGET]), *comparison.scenarios)
            for D, f in {(trial.dimension, trial.function) for trial in comparison.trials}:
                looks[D, f] |= {scenario.evaluations(D, f) for scenario in scenarios}
    return {place: sorted(numbers) for place, numbers in looks.items()}


if __name__ == "__main__":
    main()
