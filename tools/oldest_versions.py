"""Print the oldest versions of its dependencies that pyproject.toml allows, as constraints for pip.

python tools/oldest_versions.py > constraints.txt
"""

import tomllib
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

PYPROJECT = Path(__file__).parent.parent / "pyproject.toml"


def project() -> dict[str, Any]:
    """Return the table ``project`` of pyproject.toml."""
    content: dict[str, Any] = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    return content


def oldest_versions() -> dict[str, str]:
    """Return the lower bound of each dependency, those of the extras too, by name.

    Raises:
        ValueError: a dependency has no lower bound.
    """
    known = project()
    lines = [*known["dependencies"], *(line for extra in known["optional-dependencies"].values() for line in extra)]
    bounds = {}
    for requirement in map(Requirement, lines):
        if requirement.name == known["name"]:  # one extra that includes another
            continue
        lower = [part.version for part in requirement.specifier if part.operator == ">="]
        if len(lower) != 1:
            raise ValueError(f"{requirement} has no lower bound; write it like {requirement.name}>=1.0")
        bounds[requirement.name] = lower[0]
    return bounds


if __name__ == "__main__":
    print("\n".join(f"{name}=={version}" for name, version in oldest_versions().items()))
