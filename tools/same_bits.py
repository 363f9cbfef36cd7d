"""Compare the trials of two revisions: run all configs with both, and compare COCO's data line by line.

python tools/same_bits.py main~3          # against that revision (a quarter of an hour)

Configs are paired by their folder and the name of their algorithm, so that their keys may differ. With --tiny, one
config is run on one function, with the last commit on both sides.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent
PROTOCOL = {"functions": "1,6,8,15,21", "dimensions": "2,5,10", "instances": "1-2", "budget": "100"}
TINY = {"functions": "1", "dimensions": "2", "instances": "1", "budget": "10"}


def configs(root: Path, *, tiny: bool) -> dict[tuple[str, str], Path]:
    """Return the shipped configs below ``root`` by folder and algorithm's name."""
    paths = [root / "configs" / "cmaes.yaml"] if tiny else sorted((root / "configs").rglob("*.yaml"))
    found = {}
    for path in paths:
        content = yaml.safe_load(path.read_text())
        if "grid" not in content:
            found[str(path.parent.relative_to(root)), content["name"]] = path
    return found


def run(root: Path, paths: Mapping[tuple[str, str], Path], results: Path, protocol: Mapping[str, str]) -> None:
    """Run configs with the sources below ``root``, each folder of them into results of its own."""
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    options = [f"--{key}={value}" for key, value in protocol.items()]
    for folder in dict.fromkeys(folder for folder, _ in paths):
        files = [str(path) for (other, _), path in paths.items() if other == folder]
        command = [sys.executable, "-m", "sacma", "run", *files, *options, "--results", str(results / folder)]
        done = subprocess.run(command, env=environment, cwd=results.parent, check=False)
        if done.returncode:
            sys.exit(f"{folder}: sacma run ended with exit code {done.returncode}")


def lines(results: Path, folder: str, name: str) -> dict[str, list[str]]:
    """Return the lines of an algorithm's COCO data by file, without its name and description."""
    root = results / folder / "coco" / name
    found = {}
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        text = path.read_text().splitlines()
        # An index has three lines an entry: header, description, and what was found.
        found[str(path.relative_to(root))] = text[2::3] if path.suffix == ".info" else text
    return found


def main() -> None:
    """Run both revisions, print a line a config, and fail where a line of data differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("revision", nargs="?", default="HEAD", help="to compare with")
    parser.add_argument("--keep", type=Path, help="folder for the results; finished trials in it are not run again")
    parser.add_argument("--tiny", action="store_true", help="one config on one function")
    options = parser.parse_args()
    protocol = TINY if options.tiny else PROTOCOL
    with tempfile.TemporaryDirectory() as temporary:
        kept = options.keep.absolute() if options.keep else Path(temporary)
        base = Path(temporary) / "base"
        clone = ["git", "clone", "--quiet", "--shared", str(ROOT), str(base)]
        subprocess.run(clone, check=True)
        subprocess.run(["git", "-C", str(base), "checkout", "--quiet", options.revision], check=True)
        sides = {"there": base, "here": ROOT}
        of = {side: configs(root, tiny=options.tiny) for side, root in sides.items()}
        common = [key for key in of["here"] if key in of["there"]]
        for side, root in sides.items():
            (kept / side).mkdir(parents=True, exist_ok=True)
            run(root, {key: of[side][key] for key in common}, kept / side, protocol)
        differing = 0
        print(f"{'config':34}{'algorithm':34}{'files':>6}{'lines':>8}  compared with {options.revision}")
        for folder, name in common:
            then, now = (lines(kept / side, folder, name) for side in sides)
            same = bool(now) and then == now
            differing += not same
            count = sum(map(len, now.values()))
            print(f"{folder:34}{name:34}{len(now):6}{count:8}  {'the same' if same else 'DIFFERENT'}")
        for folder, name in sorted(of["here"].keys() ^ of["there"].keys()):
            print(f"{folder:34}{name:34}  on one side only")
    if differing:
        sys.exit(f"{differing} of {len(common)} configs differ")


if __name__ == "__main__":
    main()
