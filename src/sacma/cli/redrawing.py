"""What may be redrawn in place."""

from rich.console import Console


def redraws(console: Console) -> bool:
    """Whether ``console`` is a terminal that can redraw a line; a log is none, even where FORCE_COLOR colours it."""
    return console.is_interactive and console.file.isatty()
