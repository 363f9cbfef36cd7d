"""Templates: the shipped configs and examples, in the wheel or the repository."""

import os
from dataclasses import dataclass
from pathlib import Path

from sacma.files.atomic import write_atomically
from sacma.files.untrusted import read_file

FOLDERS = ("configs", "examples")


@dataclass(frozen=True)
class WrittenTemplates:
    """Templates in a user's folder: newly written, already there, and kept although the content differs."""

    written: tuple[Path, ...]
    same: tuple[Path, ...]
    kept: tuple[Path, ...]


def template_files() -> dict[Path, bytes]:
    """Return the content of the templates by the paths that the documentation uses.

    >>> Path("configs/ada_kendall.yaml") in template_files()
    True
    """
    return {path.relative_to(_root()): path.read_bytes() for path in template_paths()}


def template_paths() -> list[Path]:
    """Return the paths of the templates."""
    found = (path for name in FOLDERS for path in sorted((_root() / name).rglob("*")))
    return [path for path in found if path.suffix in {".yaml", ".py"}]


def _root() -> Path:
    here = Path(__file__)
    return next(
        folder for folder in (here.parent / "template_files", here.parents[3]) if (folder / FOLDERS[0]).is_dir()
    )


def _holds(path: Path, content: bytes) -> bool:
    try:
        return read_file(path, len(content)) == content
    except OSError:
        return False


def write_templates(folder: Path) -> WrittenTemplates:
    """Write the templates below ``folder``, but over no file; raise RunError if one cannot be written."""
    written, same, kept = [], [], []
    for name, content in template_files().items():
        path = folder / name
        if not os.path.lexists(path):
            write_atomically(path, content)
            written.append(path)
        elif _holds(path, content):
            same.append(path)
        else:
            kept.append(path)
    return WrittenTemplates(tuple(written), tuple(same), tuple(kept))
