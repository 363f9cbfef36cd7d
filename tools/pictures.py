"""Make the pictures of the documentation: `make pictures`. Needs Chromium for those of the report.

python tools/pictures.py             # all but that of the README
python tools/pictures.py RESULTS     # that of the README, from the report of docs/comparison.md's study
python tools/pictures.py RESULTS FOLDER --tiny     # drawings alone, of any small study, into FOLDER
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from sacma.analysis.figures.files import write
from sacma.analysis.figures.style import FAINT, INK, looks, styled
from sacma.analysis.sections.control import transfer_functions
from sacma.analysis.sections.ecdf import REFERENCE_LINE
from sacma.coco.function_names import BEST_2009

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
TUTORIAL = ["--functions", "1,8,13", "--dimensions", "2,5", "--instances", "1-5", "--budget", "100"]
OFFLINE = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
SHOWN = ("CMA-ES", "GP-5", "ADA-Kendall", "lq-CMA-ES", "DTS-CMA-ES")
BUDGET = 250
GENERATIONS = 150
"""That are shown of a trial."""


def main() -> None:
    """Run what the pictures show, and draw."""
    if sys.argv[-1] == "--tiny":
        results, folder = map(Path, sys.argv[1:3])
        trace = pd.read_parquet(next((results / "traces").glob("ADA-Kendall.parquet")))
        keep(generations(trace.head(GENERATIONS)), "generations", folder)
        keep(run_lengths(pd.read_csv(results / "report" / "tables" / "ecdf.csv")), "run_lengths", folder)
        keep(transfer_functions((2.0,)), "transfer", folder)
        return
    IMAGES.mkdir(exist_ok=True)
    if len(sys.argv) > 1:
        keep(run_lengths(pd.read_csv(Path(sys.argv[1]) / "report" / "tables" / "ecdf.csv")), "run_lengths")
        return
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results"
        configs = [str(ROOT / "configs" / f"{name}.yaml") for name in ("cmaes", "gp5", "ada_kendall")]
        _sacma("run", *configs, *TUTORIAL, "--results", str(results))
        _sacma("postprocess", "--no-pages", str(results))
        trace = pd.read_parquet(results / "traces" / "ADA-Kendall.parquet")
        trial = trace.query("function == 8 and dimension == 5 and instance == 1").head(GENERATIONS)
        keep(generations(trial), "generations")
        keep(transfer_functions((2.0,)), "transfer")
        screenshots(results / "report" / "index.html")


def _sacma(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "sacma", *arguments], check=True, stdout=subprocess.DEVNULL)


def keep(figure: Figure, name: str, images: Path = IMAGES) -> None:
    """Write a figure as SVG."""
    with tempfile.TemporaryDirectory() as folder:
        write(figure, Path(folder) / name)
        (images / f"{name}.svg").write_bytes((Path(folder) / f"{name}.svg").read_bytes())
    print(images / f"{name}.svg")


def generations(trial: pd.DataFrame) -> Figure:
    """Draw the first generations of a trial: what evaluated them, the error of the model, and g_m."""
    with styled():
        figure = Figure(figsize=(6.7, 3.0), layout="constrained")
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


def run_lengths(ecdf: pd.DataFrame) -> Figure:
    """Draw the share of targets that algorithms have reached, over all functions, a dimension a panel."""
    dimensions = sorted(ecdf["dimension"].unique())
    with styled():
        figure = Figure(figsize=(8.6, 3.1), layout="constrained")
        (panels,) = figure.subplots(1, len(dimensions), sharey=True, squeeze=False)
        for axes, dimension in zip(panels, dimensions, strict=True):
            here = ecdf[(ecdf["dimension"] == dimension) & (ecdf["group"] == "all")]
            for name, style in {BEST_2009: REFERENCE_LINE, **{n: x.line for n, x in looks(SHOWN).items()}}.items():
                curve = here[(here["algorithm"] == name) & (here["evaluations_per_dimension"] <= BUDGET)]
                axes.step(curve["evaluations_per_dimension"], curve["proportion"], where="post", label=name, **style)
            axes.set(xscale="log", xlim=(1, BUDGET), ylim=(0, 1), title=f"{dimension}-D", xlabel="true evaluations / D")
            axes.set_xticks([1, 10, 100, BUDGET], ["1", "10", "100", str(BUDGET)])
            axes.minorticks_off()
            axes.grid(color=FAINT, linewidth=0.5)
        panels[0].set_ylabel("share of targets reached, 24 functions")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    return figure


def screenshots(page_file: Path) -> None:
    """Take pictures of the report's beginning and of its convergence charts."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 the drawings need no browser

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=OFFLINE)
        page = browser.new_page(viewport={"width": 1000, "height": 760})
        page.goto(page_file.as_uri())
        page.wait_for_selector("html[data-ready=yes]")
        page.screenshot(path=IMAGES / "report.png")
        page.locator("#convergence").scroll_into_view_if_needed()
        page.locator("#convergence").screenshot(path=IMAGES / "convergence.png")
        browser.close()


if __name__ == "__main__":
    main()
