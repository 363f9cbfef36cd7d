"""Tables of the commands within 80 columns."""

import re
from pathlib import Path

import pandas as pd
import pytest
from pydantic import BaseModel
from rich.console import Console, RenderableType

from sacma.algorithms.baselines import BIPOPSettings, LQSettings, RestartSettings, random_search
from sacma.algorithms.registry import ALGORITHMS
from sacma.cli.tables import description, field_rows, own_places, part_models, rank_table
from sacma.config.nested import all_kinds
from sacma.strategy.settings import StrategySettings
from tests.commands import sacma, successful


def shown(renderable: RenderableType) -> list[str]:
    console = Console(width=80, color_system=None)
    with console.capture() as capture:
        console.print(renderable)
    return [line.rstrip() for line in capture.get().splitlines()]


def ranks_of(n: int) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"dimension": D, "scenario": scenario, "algorithm": f"Algorithm-{k}", "mean_rank": rank, "partial": D == 5}
            | {"functions": 24 - (scenario == "#FE_t")}
            for D in (2, 5)
            for scenario in ("25·D", "50·D", "83.33·D", "125·D", "250·D", "#FE_t/3", "#FE_t")
            for k, rank in enumerate([(k + len(scenario) + D) % n + 1.25 for k in range(n)])
        ]
    )


@pytest.mark.parametrize("n", [2, 12])
def test_mean_ranks(n: int) -> None:
    """Every mean rank is there, on one line with its algorithm and dimension."""
    lines = shown(rank_table(ranks_of(n)))
    assert max(len(line) for line in lines) <= 80
    rows = [line.split() for line in lines if "Algorithm" in line]
    assert len(rows) == 2 * n
    scenarios = ("25·D", "50·D", "83.33·D", "125·D", "250·D", "#FE_t/3", "#FE_t")
    expected = {(D, k): [f"{(k + len(s) + D) % n + 1.25:.2f}" for s in scenarios] for D in (2, 5) for k in range(n)}
    assert {(int(D), int(name.removeprefix("Algorithm-"))): ranks for name, D, *ranks in rows} == expected
    order = [(int(row[1]), float(row[-3])) for row in rows]
    assert order == sorted(order)
    marked = shown(rank_table(ranks_of(n), {"Algorithm-1"}))
    assert sum("Algorithm-1* " in line for line in marked) == 2
    assert "(1 is best; * yours)" in " ".join(marked)
    assert "#FE_t: of a function: the fewest evaluations" in " ".join(marked)


def test_own_places() -> None:
    """In each dimension the place by mean rank at the last budget and by area, which has an interval if it is known."""
    ranks = ranks_of(4)
    areas = pd.DataFrame(
        [(f"Algorithm-{k}", D, k / 7, k / 8, k / 6 if k < 3 else float("nan")) for D in (2, 5) for k in (1, 2, 3)],
        columns=["algorithm", "dimension", "area", "lower", "upper"],
    )
    last = ranks[ranks["scenario"] == "250·D"]
    expected = []
    by_area = "; area under the run lengths 0.143 [0.125, 0.167], 3 of 3"
    for D in (2, 5):
        order = last[last["dimension"] == D].sort_values("mean_rank")["algorithm"].to_list()
        place = 1 + order.index("Algorithm-1")
        expected.append(f"Algorithm-1* in {D}-D: {place} of 4 by mean rank after 250·D{by_area}")
    assert list(own_places(ranks, areas, {"Algorithm-1"})) == expected
    found = " ".join(own_places(ranks, areas, {"Algorithm-0", "Algorithm-3"}))
    assert found.count("Algorithm-0*") == 2
    assert found.count("area") == 2
    assert "; area under the run lengths 0.429, 1 of 3" in found  # no interval of single trials
    tied = ranks.assign(mean_rank=2.0)
    assert next(own_places(tied, areas, {"Algorithm-3"})).startswith("Algorithm-3* in 2-D: 1 of 4 ")


def test_settings_are_described_once_unless_their_default_differs() -> None:
    """A default that an algorithm changes is shown again; the rest refers to what is above."""
    known = field_rows(RestartSettings)
    lq = " ".join(shown(description("lq", "", LQSettings, known)))
    assert "as above: sigma0, initial_range, population_size, population_factor,   max_restarts, within_box   key" in lq
    assert "active  true" in lq
    bipop = " ".join(shown(description("bipop", "", BIPOPSettings, known)))
    assert "as above: initial_range, population_size, population_factor, active,   within_box   key" in bipop
    assert "sigma0        2 " in bipop
    assert "max_restarts  9 " in bipop


class Nothing(BaseModel):
    """Settings of an algorithm that has none."""


@pytest.mark.parametrize("settings", [random_search.settings, Nothing])
def test_no_settings(settings: type[BaseModel]) -> None:
    """An algorithm without settings says so, without the head of a table."""
    assert shown(description("random", "a summary", settings, set())) == ["random  a summary", "  no settings", ""]


def test_parts_that_share_settings_refer_to_each_other() -> None:
    """A kind that is another with a few settings more shows these alone."""
    kinds = {title: (summary, kind) for title, summary, kind in part_models(StrategySettings)}
    known = field_rows(kinds["sampling: {name: cma-es}"][1])
    summary, kind = kinds["sampling: {name: cma-es-as-run}"]
    text = " ".join(shown(description("sampling", summary, kind, known)))
    assert "as above: sigma0, population_size, population_multiple, active" in text
    assert re.search("bounds +penalty", text)


def test_algorithms_lists_every_kind_within_80_columns(tmp_path: Path) -> None:
    """Each algorithm, each kind of each part at each depth, each once and with all its settings."""
    done = successful("algorithms", cwd=tmp_path)
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    for name in ALGORITHMS:
        assert sum(line.startswith(f"algorithm: {name}  ") for line in lines) == 1
    text = " ".join(line.strip() for line in lines)
    for key, name, kind in all_kinds(StrategySettings):
        title = f"{key}: {{name: {name}}}  " if name else f"{key}  "
        (start,) = [number for number, line in enumerate(lines) if line.startswith(title)]
        block = " ".join(lines[start : lines.index("", start)])
        assert all(field in block for field in kind.model_fields if field != "name"), title
        assert len(block) > len(title) + 20, title  # a summary
        if name:
            assert name in text.replace(title, "")  # among the choices of its key
    assert "``" not in done.stdout


def test_a_required_setting_and_the_default_of_a_part(tmp_path: Path) -> None:
    """What has to be given says so; of a part, the usual kind is shown."""
    text = sacma("algorithms", cwd=tmp_path, width=200).stdout
    for row in (
        r"error +required +ε: .*\(kendall \| ranking-difference \| kullback-leibler \| ",
        r"control +none +.* to be evaluated with f \(none \| generations \| adaptive-generations \| ",
        r"model +null +the surrogate; null: .* \(gaussian-process \| warped-process \| ",
        r"selection +recent +reduces .*\(recent \| nearest \| kmeans\)",
    ):
        assert re.search(rf"^  {row}", text, flags=re.MULTILINE), row
