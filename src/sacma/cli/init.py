"""sacma init: write the shipped configs and examples to a folder."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from sacma.cli.common import as_argument, counted, err, out, print_list

EXAMPLES = (
    "sacma init",
    "sacma init ~/study",
)


def init(
    folder: Annotated[Path, typer.Argument(help="Where to write them.", metavar="FOLDER")] = Path(),
) -> None:
    """Write the configs and examples that come with sacma to FOLDER, so that the commands of the README work.

    A file that is there already is left as it is.
    """
    from sacma.config.templates import write_templates

    written = write_templates(folder)
    print_list("kept, though the shipped one differs", list(map(str, written.kept)), err)
    there = f", {len(written.same)} were there" if written.same else ""
    out.print(f"{counted(len(written.written), 'file')} written{there}, in {folder.resolve()}", soft_wrap=True)
    config = folder / "configs" / "ada_kendall.yaml"
    out.print(
        f"next: sacma run {shlex.quote(as_argument(config))} --functions 1,8 --dimensions 5 --instances 1-5",
        soft_wrap=True,
    )
