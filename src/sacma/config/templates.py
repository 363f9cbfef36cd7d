"""Templates: the shipped configs and examples, in the wheel or the repository."""

from pathlib import Path

FOLDERS = ("configs", "examples")


def template_paths() -> list[Path]:
    """Return the paths of the templates.

    >>> "ada_kendall.yaml" in {path.name for path in template_paths()}
    True
    """
    found = (path for name in FOLDERS for path in sorted((template_root() / name).rglob("*")))
    return [path for path in found if path.suffix in {".yaml", ".py"}]


def template_root() -> Path:
    """Return the folder of ``FOLDERS``."""
    here = Path(__file__)
    return next(
        folder for folder in (here.parent / "template_files", here.parents[3]) if (folder / FOLDERS[0]).is_dir()
    )
