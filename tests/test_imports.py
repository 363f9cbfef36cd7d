"""Each module of the science can be the first one that a program imports."""

import subprocess
import sys

from tests.commands import printed_by

ALONE = """
import importlib, pkgutil, sys
for package in ("sacma.strategy", "sacma.surrogate"):
    for found in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        for name in [name for name in sys.modules if name.partition(".")[0] == "sacma"]:
            del sys.modules[name]
        importlib.import_module(found.name)
        print(found.name)
"""


def test_each_module_can_be_imported_first() -> None:
    """A registry imports its kinds: one that led to another registry's made circles that only some imports met."""
    ended = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=False)
    assert not ended.stderr
    assert "sacma.strategy.population" in ended.stdout.split()


OPTIMIZER = """
import sys
import sacma
sacma.minimize, sacma.Optimizer, sacma.Space
bench = {"cocoex", "cocopp", "joblib", "matplotlib", "numba", "pandas", "pyarrow", "rich", "typer"}
print(*bench.intersection(sys.modules))
sacma.minimize(lambda x: x[0]**2, [1.0], 1.0, budget=5, callback=lambda _: None)
print(*{"matplotlib", "sacma.optimize.plot"}.intersection(sys.modules))
"""


def test_the_optimizer_loads_nothing_of_the_bench() -> None:
    """Nor what is slow to load, such as Numba, before it is called, nor Matplotlib before something is drawn."""
    assert printed_by(OPTIMIZER) == "\n\n"
