"""Build the wheel and the sdist of the last commit twice, and fail unless the bytes are the same.

python tools/build_twice.py          # into dist/

With --tiny, git's own archive stands in for wheel and sdist, and nothing is left in dist/.
The second build is of a clone at another path, by a process with another umask, time zone, language and hash seed.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
OUTPUT = ROOT / "dist"

SURROUNDINGS = (
    {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C", "umask": "022"},
    {"PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8", "umask": "077"},
)


def build(clone: Path, output: Path, surroundings: dict[str, str], *, tiny: bool = False) -> dict[str, bytes]:
    """Build a clone of the last commit into ``output``, and return the built files by name."""
    environment = {**os.environ, **surroundings, "SOURCE_DATE_EPOCH": git("log", "-1", "--format=%ct")}
    umask = int(surroundings["umask"], 8)
    output.mkdir(parents=True)
    archive = ["git", "-C", str(clone), "archive", f"--output={output / 'source.tar'}", "HEAD", "pyproject.toml"]
    for command in (
        ["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone)],
        archive if tiny else [sys.executable, "-m", "build", "--outdir", str(output), str(clone)],
    ):
        done = subprocess.run(command, env=environment, umask=umask, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return {path.name: path.read_bytes() for path in sorted(output.iterdir())}


def git(*arguments: str) -> str:
    """Return the output of git in this repository."""
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def main() -> None:
    """Build twice, compare, and keep one of them."""
    tiny = sys.argv[1:] == ["--tiny"]
    if git("status", "--porcelain", "--untracked-files=no"):
        print("note: what is not committed is not built")
    with tempfile.TemporaryDirectory() as temporary:
        places = Path(temporary, "a"), Path(temporary, "another", "place")
        builds = [
            build(place / "clone", place / "dist", surroundings, tiny=tiny)
            for place, surroundings in zip(places, SURROUNDINGS, strict=True)
        ]
        first, second = builds
        if first.keys() != second.keys():
            sys.exit(f"two builds differ in their files: {', '.join(first)} and {', '.join(second)}")
        different = [name for name in first if first[name] != second[name]]
        if different:
            sys.exit(f"two builds of the same commit differ: {', '.join(different)}")
        if not tiny:
            shutil.rmtree(OUTPUT, ignore_errors=True)
            shutil.copytree(places[0] / "dist", OUTPUT)
    for name, content in first.items():
        print(f"{hashlib.sha256(content).hexdigest()}  {OUTPUT.name}/{name}")
    print(f"built twice, {len(first)} files with the same bytes")


if __name__ == "__main__":
    main()
