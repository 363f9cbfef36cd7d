"""The paper's six algorithms, and their two readings: by its text, and as its authors ran it."""

from typing import NamedTuple

ALGORITHMS = ("CMA-ES", "GP-1", "GP-5", "ADA-KL", "ADA-Kendall", "ADA-RD")  # in the paper's order
ADAPTIVE = ALGORITHMS[3:]  # those that Table 2 and Figure 2 are of


class Reading(NamedTuple):
    """The six algorithms in one reading: what it and its files are called, and how algorithms' names end."""

    title: str
    suffix: str
    key: str

    @property
    def names(self) -> dict[str, str]:
        """The algorithms' names in the paper by those in this reading."""
        return {f"{name}{self.suffix}": name for name in ALGORITHMS}


AS_PRINTED = Reading("by the paper's text", "", "by_text")
AS_RUN = Reading("as its authors ran it", "-as-run", "as_run")
READINGS = (AS_RUN, AS_PRINTED)  # configs/as_run and configs/
