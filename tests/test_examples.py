"""The examples do what they say."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("minimize", ["the target, 1e-06, is reached"]),
        ("ask_and_tell", ["{'target': 0.001}"]),
        ("journal", ["power: 50 evaluations are on the disk", "used up: 120 evaluations were paid for"]),
        ("parallel", ["the same points: True"]),
    ],
)
def test_example(name: str, said: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """It runs as it stands there and prints what it is to show."""
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    printed = capsys.readouterr().out
    for text in said:
        assert text in printed


def test_half_the_evaluations(capsys: pytest.CaptureFixture[str]) -> None:
    """On one of its ten instances: at most half of what pycma takes."""
    example = runpy.run_path(str(EXAMPLES / "half_the_evaluations.py"))
    example["main"].__globals__["INSTANCES"] = [2]
    example["main"]()
    assert float(capsys.readouterr().out.split()[-1]) <= 0.5
