"""What is said of data before they are read."""

from sacma.analysis.notes import notes
from tests.analysis.made import compared, made

PROTOCOL: dict[str, object] = {"functions": "1", "dimensions": "2", "instances": "1-3", "budget": 50}


def test_nothing_to_say() -> None:
    """Studies of one protocol need no note."""
    assert notes(compared(*(made(name, lambda _: [(1, 1.0)], PROTOCOL) for name in ("cmaes", "gp5")))) == ()


def test_differing_protocols_are_said_with_what_follows() -> None:
    """Budgets, targets, seeds and problems; and that no trial says how long it takes to less than its target."""
    other: dict[str, object] = {
        "functions": "1-2",
        "dimensions": "2",
        "instances": "1-3",
        "budget": 60,
        "target": 1e-2,
        "seed": 7,
    }
    said = notes(compared(made("cmaes", lambda _: [(1, 1.0)], PROTOCOL), made("gp5", lambda _: [(1, 1.0)], other)))
    assert [note.partition(":")[0] for note in said] == [
        "the algorithms differ in their budgets",
        "the algorithms differ in their final targets",
        "the algorithms differ in their seeds",
        "the algorithms differ in their problems",
        "trials end before Δf is 1e-08 (GP-5 at 0.01)",
    ]
    assert "no less than 0.01" in said[1]
