"""Mean ranks and intervals are where the table has them."""

import numpy as np
import pytest
from matplotlib.collections import LineCollection

from sacma.analysis.sections.ranks import mean_rank_panels
from tests.analysis.figures.drawn import line, points
from tests.analysis.figures.tables import SIX, mean_ranks

SCENARIOS = ["#FE_t/3", "#FE_t", "250·D"]


@pytest.mark.parametrize("over", ["scenario", "dimension"])
def test_markers_and_whiskers(over: str) -> None:
    """Each is in the place of its scenario and dimension; whiskers go from low to high; the best is at the top."""
    table = mean_ranks(SIX)
    figure = mean_rank_panels(table, over=over)  # type: ignore[arg-type]
    panels = [2, 20] if over == "scenario" else SCENARIOS
    places = SCENARIOS if over == "scenario" else [2, 20]
    other = "dimension" if over == "scenario" else "scenario"
    for panel, axes in zip(panels, figure.axes, strict=True):
        whiskers = {str(c.get_label()): c.get_segments() for c in axes.collections if isinstance(c, LineCollection)}
        assert axes.yaxis_inverted()
        for algorithm in SIX:
            of = table[(table[other] == panel) & (table["algorithm"] == algorithm)].set_index(over).loc[places]
            x, y = points(line(axes, algorithm))
            assert np.round(x).tolist() == list(range(len(places)))
            assert y.tolist() == of["mean_rank"].tolist()
            ends = np.array(whiskers[f"{algorithm}: interval"])
            assert ends[:, :, 0] == pytest.approx(np.column_stack([x, x]))
            assert ends[:, :, 1] == pytest.approx(of[["low", "high"]].to_numpy())


def test_markers_do_not_hide_one_another() -> None:
    """Algorithms stand beside one another in the order of the study."""
    axes = mean_rank_panels(mean_ranks(SIX)).axes[0]
    first = [points(line(axes, algorithm))[0][0] for algorithm in SIX]
    assert np.diff(first) == pytest.approx(0.76 / 6)


def test_what_is_not_known() -> None:
    """A rank without an interval has a marker; one that is not known has none."""
    table = mean_ranks(SIX)
    table.loc[table["algorithm"] == "GP-1", ["low", "high"]] = np.nan
    table.loc[(table["algorithm"] == "GP-5") & (table["scenario"] == "#FE_t"), "mean_rank"] = np.nan
    axes = mean_rank_panels(table).axes[0]
    assert len(points(line(axes, "GP-1"))[0]) == 3
    assert len(points(line(axes, "GP-5"))[0]) == 2
    with pytest.raises(ValueError, match="no mean rank is known"):
        mean_rank_panels(table.assign(mean_rank=np.nan))
