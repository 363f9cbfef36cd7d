"""Share of generations with a model, and the results of all trainings, from the traces of a results folder.

Of true generations that had n_req points in reach, the share after which a model was available; how the others
ended; and how often η had to be raised or the warm start given up.
"""

import argparse
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.report import parsed, print_table, write
from sacma.surrogate.base import FitStatus
from sacma.surrogate.gaussian_process import SearchedFrom

TOO_FEW = FitStatus.TOO_FEW_POINTS.value


def main() -> None:
    """Read the traces, print the table and write ``out/availability.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="results folder of `sacma run`")
    results = parsed(parser).results
    frames = [
        pd.read_parquet(path).assign(algorithm=path.stem) for path in sorted((results / "traces").glob("*.parquet"))
    ]
    trainings = pd.concat(frames).query("fit_status != ''").astype({"fit_status": str, "searched_from": str})
    rows = [_row(str(name), int(D), group) for (name, D), group in trainings.groupby(["algorithm", "dimension"])]
    rows.append(_row("all", 0, trainings))
    print("share of trainings, in per cent of those with n_req points in reach (too few points: of all)")
    print_table(rows)
    functions = trainings[trainings["fit_status"] != TOO_FEW].groupby(["dimension", "function"])["fit_status"]
    trained = functions.agg(lambda status: 100.0 * (status == FitStatus.TRAINED.value).mean()).reset_index(
        name="trained"
    )
    print("\nper function, all algorithms: per cent trained")
    by_function = trained.pivot(index="function", columns="dimension", values="trained").round(1)
    print(by_function.T.to_string())
    write("availability", {"results": str(results)}, shares=rows, functions=trained.to_dict("records"))


def _row(name: str, dimension: int, trainings: pd.DataFrame) -> dict[str, Any]:
    reached = trainings[trainings["fit_status"] != TOO_FEW]

    def share(selected: "pd.Series[bool]") -> float:
        return 100.0 * float(selected.mean())

    return {
        "algorithm": name,
        "D": dimension or "all",
        "trainings": len(trainings),
        "too few": share(trainings["fit_status"] == TOO_FEW),
        "trained": share(reached["fit_status"] == FitStatus.TRAINED.value),
        "constant y": share(reached["fit_status"] == FitStatus.CONSTANT_VALUES.value),
        "constant prediction": share(reached["fit_status"] == FitStatus.CONSTANT_PREDICTION.value),
        "no factor": share(reached["fit_status"] == FitStatus.NO_FACTOR.value),
        "η raised": share(reached["jitters"] > 0),
        "from several starts": share(reached["searched_from"] == SearchedFrom.SEVERAL.value),
        "evaluations": float(reached["likelihood_evaluations"].mean()),
    }


if __name__ == "__main__":
    main()
