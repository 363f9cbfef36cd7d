"""Run the commands of docs/tutorial.md and put what they print into the page, below each.

python tools/tape.py            # make tape
python tools/tape.py --tiny     # the block of `sacma plan` alone, to the terminal
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "tutorial.md"

PAIR = re.compile(r"(```sh\n(?P<commands>.*?)```\n)(?P<output>\n```text\n.*?```\n)?", re.DOTALL)


def main() -> None:
    """Run the blocks one after the other in one folder, in a terminal of 80 columns."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("configs", "examples"):
            (Path(folder) / name).symlink_to(ROOT / name)
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "COLUMNS": "80", "PYTHONPATH": str(ROOT / "src")}

        def replayed(match: re.Match[str]) -> str:
            if match["output"] is None:
                return match[0]
            print(match["commands"], end="", flush=True)
            done = subprocess.run(
                ["bash", "-euc", match["commands"]],
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            )
            said = "\n".join(line.rstrip() for line in (done.stdout + done.stderr).strip("\n").splitlines())
            for here, shown in {folder: "…", str(ROOT): "~/sacma"}.items():  # where it was run is nobody's business
                said = said.replace(here, shown)
            return f"{match[1]}\n```text\n{said}\n```\n"

        if sys.argv[1:] == ["--tiny"]:
            blocks = PAIR.finditer(PAGE.read_text())
            print(replayed(next(block for block in blocks if block["commands"].startswith("sacma plan"))))
        else:
            PAGE.write_text(PAIR.sub(replayed, PAGE.read_text()))


if __name__ == "__main__":
    main()
