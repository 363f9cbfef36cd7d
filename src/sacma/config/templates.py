"""Templates: the configs and examples that come with sacma, in its wheel or in the repository."""

import os
from dataclasses import dataclass
from pathlib import Path

from sacma.files.atomic import write_atomically
from sacma.files.untrusted import read_file

FOLDERS = ("configs", "examples")


@dataclass(frozen=True)
class WrittenTemplates:
    """The templates in a user's folder, after they were written.

    Args:
        written: files that were not there.
        same: files that were there, with the same content.
        kept: files that were there with another content, and were left as they are.
    """

    written: tuple[Path, ...]
    same: tuple[Path, ...]
    kept: tuple[Path, ...]


def template_files() -> dict[Path, bytes]:
    """Return the content of the templates, by their paths as the documentation has them.

    >>> Path("configs/ada_kendall.yaml") in template_files()
    True
    """
    return {path.relative_to(_root()): path.read_bytes() for path in template_paths()}


def template_paths() -> list[Path]:
    """Return where the shipped files are."""
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
    """Write the templates below ``folder``; what is there already is left as it is.

    Raises:
        RunError: one cannot be written.
    """
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
