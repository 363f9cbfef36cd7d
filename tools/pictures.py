"""Make the pictures of the documentation: `make gallery`. Needs Chromium for those of the report.

python tools/pictures.py             # all but these
python tools/pictures.py RESULTS     # that of the README, from the report of docs/comparison.md's study
python tools/pictures.py --paper     # that of docs/reproduction.md, from its data
python tools/pictures.py RESULTS FOLDER --tiny     # drawings alone, of any small study, into FOLDER
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd
from chromium import chromium
from matplotlib.figure import Figure
from screens import IMAGES, PHONE, keep_screen, opened

from sacma.analysis.charts import Axis, Lines
from sacma.analysis.figures.draw import COLUMN, PAGE, draw
from sacma.analysis.figures.files import write
from sacma.analysis.figures.style import FAINT, INK, styled
from sacma.analysis.published import ALGORITHMS
from sacma.analysis.sections.publication import ranks_beside, transfer_functions
from sacma.coco.suites import BEST_2009

ROOT = Path(__file__).parent.parent
TUTORIAL = ["--functions", "1,8,13", "--dimensions", "2,5", "--instances", "1-5", "--budget", "100"]
SHOWN = ("CMA-ES", "sacma", "lq-CMA-ES", "DTS-CMA-ES", "lmm-CMA-ES", "ADA-Kendall")
MEAN_RANKS = ROOT / "docs" / "data" / "mean_ranks.csv"
BUDGET = 250
GENERATIONS = 150  # shown generations of a trial


def main() -> None:
    """Run the trials of the pictures, and draw."""
    if sys.argv[-1] == "--tiny":
        results, folder = map(Path, sys.argv[1:3])
        trace = pd.read_parquet(next((results / "traces").glob("ADA-Kendall.parquet")))
        keep_both("generations", partial(generations, trace), folder)
        ecdf = pd.read_csv(results / "report" / "tables" / "ecdf.csv")
        keep_both("run_lengths", partial(run_lengths, ecdf), folder)
        print_lead(ecdf, "ADA-Kendall")
        keep(draw(transfer_functions(), ()), "transfer", folder)
        return
    IMAGES.mkdir(exist_ok=True)
    if sys.argv[-1] == "--paper":
        beside_paper()
        return
    if len(sys.argv) > 1:
        ecdf = pd.read_csv(Path(sys.argv[1]) / "report" / "tables" / "ecdf.csv")
        keep_both("run_lengths", partial(run_lengths, ecdf))
        print_lead(ecdf, "sacma")
        return
    beside_paper()
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results"
        configs = [str(ROOT / "configs" / f"{name}.yaml") for name in ("cmaes", "gp5", "ada_kendall")]
        _sacma("run", *configs, *TUTORIAL, "--results", str(results))
        _sacma("postprocess", "--no-pages", str(results))
        trace = pd.read_parquet(results / "traces" / "ADA-Kendall.parquet")
        trial = trace.query("function == 8 and dimension == 5 and instance == 1")
        keep_both("generations", partial(generations, trial))
        keep(draw(transfer_functions(), ()), "transfer")
        screenshots(results / "report" / "index.html")


def _sacma(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "sacma", *arguments], check=True, stdout=subprocess.DEVNULL)


def keep(figure: Figure, name: str, images: Path = IMAGES) -> None:
    """Write a figure as SVG."""
    with tempfile.TemporaryDirectory() as folder:
        write(figure, Path(folder) / name)
        (images / f"{name}.svg").write_bytes((Path(folder) / f"{name}.svg").read_bytes())
    print(images / f"{name}.svg")


def keep_both(name: str, draw: Callable[[float], Figure], images: Path = IMAGES) -> None:
    """Write a figure as wide as a page, and for phones in a layout as narrow as a column."""
    keep(draw(PAGE), name, images)
    keep(draw(COLUMN), f"{name}_narrow", images)


def beside_paper() -> None:
    """Draw the study's mean ranks over the paper's, from the data that docs/reproduction.md shows."""
    chart = ranks_beside(pd.read_csv(MEAN_RANKS))
    keep_both("ranks_beside_paper", lambda width: draw(chart, ALGORITHMS, width=width))


def generations(trial: pd.DataFrame, width: float) -> Figure:
    """Draw the first generations of a trial: evaluated by f or the model, the error, and g_m."""
    trial = trial.head(round(GENERATIONS * width / PAGE))
    with styled():
        figure = Figure(figsize=(width / 72, 3.0), layout="constrained")
        strip, errors, g_m = figure.subplots(3, 1, sharex=True, height_ratios=(0.6, 1.3, 1))
        x = range(1, len(trial) + 1)
        colours = [INK if by == "true" else "#9CC7E8" for by in trial["evaluated_by"]]
        strip.bar(x, 1, width=1.0, color=colours, linewidth=0)
        strip.set(yticks=[], ylim=(0, 1), title="black: evaluated with f, blue: with the model")
        true = trial["evaluated_by"].to_numpy() == "true"
        errors.plot(
            [n for n, t in zip(x, true, strict=True) if t], trial["error"][true], ".", color="#7F7F7F", label="ε"
        )
        errors.plot(
            [n for n, t in zip(x, true, strict=True) if t], trial["smoothed_error"][true], color="#0072B2", label="ε_s"
        )
        errors.axhline(0.5, color=FAINT, zorder=0)
        errors.set(ylim=(0, 0.7), ylabel="error")
        errors.legend(loc="upper right", ncols=2, borderaxespad=0.6)
        g_m.step(
            [n for n, t in zip(x, true, strict=True) if t],
            trial["model_generations"][true],
            where="post",
            color=INK,
            linewidth=0.8,
        )
        g_m.set(ylim=(-0.3, 5.3), ylabel="g_m", xlabel="generation", xlim=(0.5, len(trial) + 0.5))
    return figure


def run_lengths(ecdf: pd.DataFrame, width: float) -> Figure:
    """Draw the share of targets that algorithms have reached, over all functions, a dimension a panel."""
    of_all = (ecdf["group"] == "all") & ecdf["evaluations_per_dimension"].between(1, BUDGET)
    shown = ecdf[of_all & ecdf["algorithm"].isin([*SHOWN, BEST_2009])]
    # Steps of less than a pixel would make the file larger than a picture may be.
    pixels, line = (200 * shown["proportion"]).round(), [shown["dimension"], shown["algorithm"]]
    seen = (pixels.groupby(line).diff() != 0) | ~shown.duplicated(["dimension", "algorithm"], keep="last")
    chart = Lines(
        name="run_lengths",
        caption="",
        data=shown.assign(proportion=pixels / 200)[seen],
        by=("dimension",),
        x=Axis("evaluations_per_dimension", "true evaluations / D", log=True, limits=(1, BUDGET)),
        y=Axis("proportion", "share of targets reached, 24 functions", limits=(0, 1)),
        stepped=True,
        end="largest_length",
    )
    return draw(chart, SHOWN, baseline="sacma", width=width)


def print_lead(ecdf: pd.DataFrame, name: str) -> None:
    """Print where an algorithm has reached more targets than the best of 2009, and shares of targets at 50·D."""
    for dimension, here in ecdf[ecdf["group"] == "all"].groupby("dimension"):
        shares = here.pivot(index="evaluations_per_dimension", columns="algorithm", values="proportion").ffill()
        ahead = shares[name] > shares[BEST_2009]
        stretches = (times for _, times in ahead.index[ahead].groupby((~ahead).cumsum()[ahead]).items())
        longest = max(stretches, key=len, default=[float("nan")])
        at = shares.loc[:50].iloc[-1].reindex([name, "CMA-ES", BEST_2009])
        reached = ", ".join(f"{other} {share:.0%}" for other, share in at.items())
        where = f"from {min(longest):.3g} to {max(longest):.3g} D"
        print(f"{dimension}-D: {name} ahead of {BEST_2009} {where}; at 50 D {reached}")


def screenshots(page_file: Path) -> None:
    """Take pictures of the report's beginning and of its convergence charts, on a desk and on a phone."""
    with chromium() as browser:
        for width, suffix in ((1000, ""), (PHONE, "_narrow")):
            page = opened(browser, page_file, width, 760)
            keep_screen(page, f"report{suffix}")
            page.evaluate("for (const bar of document.querySelectorAll('nav, #choice')) bar.style.position = 'static'")
            section = page.locator("#convergence")
            section.scroll_into_view_if_needed()
            keep_screen(section, f"convergence{suffix}")


if __name__ == "__main__":
    main()
