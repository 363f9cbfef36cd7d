"""What the commands show fits into 80 columns, whatever is shown."""

import pandas as pd
import pytest
from pydantic import BaseModel
from rich.console import Console, RenderableType
from sacma.algorithms.settings import BIPOPSettings, LQSettings, RandomSearchSettings

from sacma.cli.tables import MOST_COLUMNS, description, field_rows, rank_table
from sacma.strategy.settings import CMAESSettings


def shown(renderable: RenderableType) -> list[str]:
    console = Console(width=80, color_system=None)
    with console.capture() as capture:
        console.print(renderable)
    return [line.rstrip() for line in capture.get().splitlines()]


def ranks_of(n: int) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"dimension": D, "scenario": scenario, "algorithm": f"Algorithm-{k}", "mean_rank": rank, "partial": D == 5}
            for D in (2, 5)
            for scenario in ("25·D", "50·D", "83.33·D", "125·D", "250·D", "#FE_t/3", "#FE_t")
            for k, rank in enumerate([(k + len(scenario) + D) % n + 1.25 for k in range(n)])
        ]
    )


@pytest.mark.parametrize("n", [2, MOST_COLUMNS, MOST_COLUMNS + 1, 12])
def test_mean_ranks(n: int) -> None:
    """Every mean rank is there, on one line with its algorithm where that has one of its own."""
    lines = shown(rank_table(ranks_of(n)))
    assert max(len(line) for line in lines) <= 80
    assert sum(line.count(".25") for line in lines) == 2 * 7 * n
    if n > MOST_COLUMNS:
        rows = [line.split() for line in lines if "Algorithm" in line]
        assert len(rows) == 2 * n
        for D, block in ((2, rows[:n]), (5, rows[n:])):
            assert block[0][0] == f"{D}{'*' if D == 5 else ''}"
            for k, row in enumerate(block):
                expected = [f"{(k + len(s) + D) % n + 1.25:.2f}" for s in ("25·D", "50·D", "83.33·D")]
                assert row[-8:-4] == [f"Algorithm-{k}", *expected]


def test_settings_are_described_once_unless_their_default_differs() -> None:
    """A default that an algorithm changes is shown again; the rest refers to what is above."""
    known = field_rows(CMAESSettings)
    lq = " ".join(shown(description("lq", "", LQSettings, known)))
    assert "as above: sigma0, initial_range, population_size, population_factor,   max_restarts   key" in lq
    assert "active  true" in lq
    bipop = " ".join(shown(description("bipop", "", BIPOPSettings, known)))
    assert "as above: initial_range, population_size, population_factor, active   key" in bipop
    assert "sigma0        2 " in bipop
    assert "max_restarts  9 " in bipop


class Nothing(BaseModel):
    """Settings of an algorithm that has none."""


@pytest.mark.parametrize("settings", [RandomSearchSettings, Nothing])
def test_no_settings(settings: type[BaseModel]) -> None:
    """An algorithm without settings says so, without the head of a table."""
    assert shown(description("random", "a summary", settings, set())) == ["random  a summary", "  no settings", ""]
