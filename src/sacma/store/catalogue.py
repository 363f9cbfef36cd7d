"""Catalogue of kept outcomes: those that come with sacma, in the wheel or the repository, by algorithm."""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from sacma.store.kept import KeptStudy, read_kept

FILE = "outcomes.parquet"


@dataclass(frozen=True)
class KeptAlgorithm:
    """An algorithm of the catalogue and its trials."""

    name: str  # in the catalogue: of two that differ in settings, budget or seed the second has its folder's, too
    kept: KeptStudy
    folders: tuple[str, ...]  # names of the folders that it comes from

    @property
    def again(self) -> bool:
        """True where the catalogue has an algorithm of this name with other settings, budget or seed."""
        return self.name != self.kept.study.name


def kept_root() -> Path:
    """Return the folder of the folders of kept outcomes."""
    here = Path(__file__)
    shipped = here.parent / "kept_files"
    return shipped if shipped.is_dir() else here.parents[3] / "data"


@cache
def kept_algorithms() -> tuple[KeptAlgorithm, ...]:
    """Return the catalogue, in the order of suites and names."""
    found: dict[tuple[str, str], KeptAlgorithm] = {}
    for path in sorted(kept_root().glob(f"*/{FILE}")):
        for kept in read_kept(path):
            place, folder = (kept.study.suite, kept.study.name), path.parent.name
            known = found.get(place)
            if known is None:
                found[place] = KeptAlgorithm(kept.study.name, kept, (folder,))
            elif all(map(known.kept.study.mixes_with, kept.study.parts)):
                found[place] = replace(known, kept=_joined(known.kept, kept), folders=(*known.folders, folder))
            else:
                name = f"{kept.study.name}-{folder}"
                found[kept.study.suite, name] = KeptAlgorithm(name, kept, (folder,))
    return tuple(found[place] for place in sorted(found))


def _joined(one: KeptStudy, other: KeptStudy) -> KeptStudy:
    study = one.study
    for part in other.study.parts:
        study = study.extended_by(part)
    return KeptStudy(study, list({trial.spec: trial for trial in (*one.trials, *other.trials)}.values()))
