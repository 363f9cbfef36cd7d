"""Examples in docstrings, shown as code on the site."""

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?:^>>> .*(?:\n(?!\s*$).*)*)(?:\n\n>>> .*(?:\n(?!\s*$).*)*)*", re.MULTILINE)


class Doctests(griffe.Extension):
    """Fences around examples that begin with ``>>>``."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of an object before it is parsed."""
        if obj.docstring is not None:
            obj.docstring.value = EXAMPLE.sub(lambda m: f"```pycon\n{m[0]}\n```", obj.docstring.value)
