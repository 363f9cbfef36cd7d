"""Notes on data before they are read."""

from sacma.analysis.comparison import compare
from sacma.analysis.notes import notes, protocol_differences
from sacma.analysis.published import AS_PRINTED
from tests.analysis.made import compared, made

PROTOCOL: dict[str, object] = {"functions": "1", "dimensions": "2", "instances": "1-3", "budget": 50}


def test_nothing_to_say() -> None:
    """Studies of the paper's protocol need no note."""
    assert notes(compared(*(made(name, lambda _: [(1, 1.0)], {}) for name in ("cmaes", "gp1", "gp5")))) == ()


def test_what_the_papers_tables_lack_is_said() -> None:
    """Another protocol; and with two of its algorithms the kept ones that are to be added."""
    trials = [made(name, lambda _: [(1, 1.0)], PROTOCOL) for name in ("cmaes", "gp5", "gp1")]
    another = "1 functions, not 24; 3 trials of a function, not 15; 50 evaluations/D, not 250"
    assert notes(compared(*trials)) == (f"the protocol is not the paper's, by the paper's text: {another}",)
    needed = "the paper's tables need 3 of its algorithms: --against GP-1,ADA-KL,ADA-Kendall,ADA-RD"
    assert notes(compared(*trials[:2])) == (needed,)


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
    whole = "CPU times, control frequencies and counts of evaluations are of whole trials"
    assert [note.partition(":")[0] for note in said] == [
        "the algorithms differ in their budgets",
        "the algorithms differ in their final targets",
        "the algorithms differ in their seeds",
        "the algorithms differ in their problems",
        "the paper's tables need 3 of its algorithms",
        f"{whole}, those of GP-5 beyond 50·D evaluations",
        "trials end before Δf is 1e-08 (GP-5 at 0.01)",
    ]
    assert "no less than 0.01" in said[1]
    alone = compare([made("cmaes", lambda _: [(1, 1.0)], PROTOCOL)], budget=20)
    assert not any("budgets" in note for note in notes(alone))  # it ends where it was told to


def test_another_protocol_than_the_papers_is_said() -> None:
    """Functions, trials, budget and target, where any algorithm lacks some."""
    other: dict[str, object] = {"functions": "1-4", "instances": "1-3", "budget": 100, "target": 1e-3}
    some = compared(
        made("cmaes", lambda _: [(1, 1.0)], {}),
        made("gp1", lambda spec: None if spec.function == 2 else [(1, 1.0)], other),
    )
    assert protocol_differences(some, AS_PRINTED) == (
        "4 to 24 functions, not 24",
        "3 to 15 trials of a function, not 15",
        "100 evaluations/D, not 250",
        "target 0.001, not 1e-08",
    )


def test_what_does_not_apply_to_a_suite_is_said() -> None:
    """What Δf is where f is noisy, and what is left out; a trial there goes on at its target, whatever it is."""
    protocol = {**PROTOCOL, "suite": "bbob-noisy", "functions": "101", "target": 1e-2}
    comparison = compared(*(made(name, lambda _: [(1, 1.0)], protocol) for name in ("cmaes", "gp5")))
    said = notes(comparison)
    assert all(note.startswith("bbob-noisy: ") for note in said)
    assert [word in note for word, note in zip(("noise-free", "paper", "2009"), said, strict=True)] == [True] * 3
    assert protocol_differences(comparison, AS_PRINTED) == ("functions of bbob-noisy, not of bbob",)
