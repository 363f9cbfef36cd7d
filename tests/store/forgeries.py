"""Forged records: a right checksum over a mutated head or part. ``python -m tests.store.forgeries 5000``.

Prints how many were refused, and what the others said: nothing that enters a result may differ.
"""

import copy
import json
import math
import random
import re
import sys
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sacma.config.plan import TrialSpec, plan
from sacma.config.study import load_study
from sacma.experiment.trial import run_trial
from sacma.files.checksum import checksum
from sacma.store.outcome import DamagedRecordError
from sacma.store.record import MAGIC, TrialRecord, decode, encode
from tests.conftest import CONFIGS, best_after

# In the place of any value.
ODD: list[Any] = [
    *(None, True, 0, -1, 1, 7, 10**30, -(10**30), 10**5000, 1.5, -5.0, 1e-300, math.inf, -math.inf, math.nan),
    *("", "text", "1", "\x1b[2J", "a\nb", "\u202eabc", "\ud800", "x" * 100_000, [], [1], [[1]], {}, {"a": 1}),
]

Parts = dict[str, bytes]


def dumps(content: object) -> bytes:
    """Return JSON, of numbers that are too long for Python's own writer too."""
    sys.set_int_max_str_digits(0)
    try:
        return json.dumps(content, separators=(",", ":")).encode()
    finally:
        sys.set_int_max_str_digits(4300)


def opened(content: bytes) -> tuple[dict[str, Any], Parts]:
    """Return head and inflated parts of a record."""
    line, rest = content.removeprefix(MAGIC).split(b"\n", 1)
    files, trace = zlib.decompress(rest[:-8]).split(b"\n", 1)
    return json.loads(line), {**{name: dumps(part) for name, part in json.loads(files).items()}, "trace": trace}


def sealed(line: bytes, deflated: bytes) -> bytes:
    """Return a record file with a right checksum."""
    content = MAGIC + line + b"\n" + deflated
    return content + checksum(content)


def body(parts: Parts) -> bytes:
    """Return the deflated body of a record."""
    files = b",".join(b'"%s":%s' % (name.encode(), part) for name, part in parts.items() if name != "trace")
    return zlib.compress(b"{" + files + b"}\n" + parts["trace"], 1)


def packed(head: dict[str, Any], parts: Parts) -> bytes:
    """Return a record file of a head and parts."""
    return sealed(dumps(head), body(parts))


def places(node: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the ways to all values below a tree of JSON."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [way for key, value in items for way in [(*at, key), *places(value, (*at, key))]]


def mutated(rng: random.Random, tree: Any) -> Any:
    """Return a tree of JSON with one or two values changed, gone or added."""
    tree = copy.deepcopy(tree)
    for _ in range(rng.choice((1, 1, 1, 2))):
        ways = places(tree)
        if not ways:
            return copy.deepcopy(rng.choice(ODD))
        *way, key = rng.choice(ways)
        parent = tree
        for step in way:
            parent = parent[step]
        value = parent[key]
        match rng.randrange(6):
            case 0:
                del parent[key]
            case 1 if isinstance(parent, dict):
                parent[rng.choice(("new", "\x1b]0;x\x07", "", str(key) + " "))] = value
            case 2 if isinstance(value, int | float) and not isinstance(value, bool):
                parent[key] = rng.choice((value + 1, value - 1, -value, value * 2, value * 1e-3, str(value), [value]))
            case 3 if isinstance(value, str) and value:
                cut = rng.randrange(len(value))
                parent[key] = (
                    value[:cut] + rng.choice(("", "\n", "\x1b[31m", "\0", "9", "é", "\u202e")) + value[cut + 1 :]
                )
            case 4 if isinstance(value, list) and len(value) > 1:
                parent[key] = rng.choice((value[:-1], value[::-1], value + value[-1:], value[1:]))
            case _:
                parent[key] = copy.deepcopy(rng.choice(ODD))
    return tree


def deep(rng: random.Random) -> bytes:
    """Return JSON that is nested deeply."""
    return rng.choice((b"[", b'{"a":')) * rng.choice((200, 100_000))


def scrambled(rng: random.Random, content: bytes) -> bytes:
    """Return some bytes with a few of them changed, gone or added."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 4))):
        position = rng.randrange(len(data) + 1)
        match rng.randrange(4):
            case 0 if position < len(data):
                data[position] ^= 1 << rng.randrange(8)
            case 1:
                del data[position : position + rng.choice((1, 10, 1000))]
            case 2:
                data[position:position] = rng.randbytes(rng.choice((1, 10, 1000)))
            case _:
                data[position : position + 8] = rng.choice((bytes(8), b"\xff" * 8))
    return bytes(data)


def lines_changed(rng: random.Random, coco: dict[str, Any]) -> dict[str, Any]:
    """Return COCO's files with a line of one of them gone, twice, moved or with another number."""
    suffix = rng.choice(list(coco["data"]))
    lines = coco["data"][suffix].split("\n")
    place = rng.randrange(len(lines))
    match rng.randrange(5):
        case 0:
            del lines[place]
        case 1:
            lines.insert(place, lines[place])
        case 2:
            rng.shuffle(lines)
        case 3:
            tokens = lines[place].split(" ")
            tokens[rng.randrange(min(3, len(tokens)))] = rng.choice(
                ("-1", "1e9", "nan", "0", "inf", "x", "1_0", "+1.0e+00")
            )
            lines[place] = " ".join(tokens)
        case _:
            lines[place] += rng.choice(("\x1b[2J", " 7", "\r", "%", "\u2028"))
    return {**coco, "data": {**coco["data"], suffix: "\n".join(lines)}}


def forged(rng: random.Random, content: bytes) -> bytes:
    """Return a record file with one thing changed, and a right checksum."""
    head, parts = opened(content)
    kind = rng.choice((_head_changed, _head_changed, _part_changed, _part_changed, _part_changed, _body_changed))
    return kind(rng, head, parts)


def _head_changed(rng: random.Random, head: dict[str, Any], parts: Parts) -> bytes:
    if rng.random() < 0.05:
        return sealed(deep(rng), b"")
    return packed(mutated(rng, head), parts)


def _part_changed(rng: random.Random, head: dict[str, Any], parts: Parts) -> bytes:
    name = rng.choice(list(parts))
    changed = rng.choice((scrambled(rng, parts[name]), deep(rng), b"", b"\xff\xfe"))
    if name != "trace" and rng.random() < 0.8:
        tree = json.loads(parts[name])
        changed = dumps(lines_changed(rng, tree) if name == "coco" and rng.random() < 0.5 else mutated(rng, tree))
    return packed(head, {**parts, name: changed})


def _body_changed(rng: random.Random, head: dict[str, Any], parts: Parts) -> bytes:
    match rng.randrange(4):
        case 0:
            deflated = zlib.compress(bytes(300 << 20), 9) if rng.random() < 0.05 else rng.randbytes(50)
        case 1:
            deflated = body(dict(reversed(parts.items())))
        case 2:
            deflated = body(parts) + b"more"
        case _:
            deflated = body({name: part for name, part in parts.items() if name != "coco"})
    return sealed(dumps(head), deflated)


def enters(record: TrialRecord, other: TrialRecord) -> bool:
    """Tell whether a forged record would change a result, or holds text that does not print.

    What COCO's logger wrote tells what the best Δf was when; between its rows, a record can say what it likes.
    """
    mine, theirs = (
        {**vars(each.outcome), "cpu": None, "improved_at": None, "improved_to": None, "spec": each.spec}
        for each in (record, other)
    )
    true = [
        math.isclose(float(row[2]), best_after(outcome, int(row[0])), rel_tol=1e-8)
        for coco, outcome in ((record.coco, other.outcome), (other.coco, record.outcome))
        for text in coco.data.values()
        for row in (line.split() for line in text.splitlines() if line[0] != "%")
    ]
    texts = [other.provenance.host, other.coco.header, other.coco.entry, *other.trace["fit_status"].tolist()]
    return mine != theirs or not all(true) or not all(text.isprintable() for text in texts)


def campaign(number: int, seed: int, specs: Sequence[TrialSpec]) -> Counter[str]:
    """Forge ``number`` records of trials; return how they ended.

    Raises:
        AssertionError: one would have changed a result.
        Exception: whatever a reader lets through.
    """
    rng = random.Random(seed)
    records = [run_trial(spec) for spec in specs]
    contents = [encode(record) for record in records]
    ended: Counter[str] = Counter()
    for _ in range(number):
        which = rng.randrange(len(specs))
        content = forged(rng, contents[which])
        found, reason = decoded(content, specs[which])
        if found is None:
            assert reason.isprintable(), repr(reason)
            assert len(reason) < 300
            ended["refused"] += 1
        else:
            assert not enters(records[which], found), Path("forged.record").write_bytes(content)
            same = encode(found) == contents[which]
            ended["accepted: " + ("the same record" if same else "other times or diagnostics")] += 1
        decoded(content, None)
    return ended


def decoded(content: bytes, spec: TrialSpec | None) -> tuple[TrialRecord | None, str]:
    """Return the record of a file, or why it is none."""
    try:
        return decode(content, spec), ""
    except DamagedRecordError as error:
        return None, str(error)


def main() -> None:
    """Run the campaign and print its table."""
    number, seed = (int(argument) for argument in [*sys.argv[1:], "5000", "1"][:2])
    protocol = {"functions": "1,8", "dimensions": "2,5", "instances": "1", "budget": 40}
    studies = [load_study(CONFIGS / f"{name}.yaml", protocol) for name in ("ada_kendall", "cmaes")]
    ended = campaign(number, seed, plan(studies))
    for how, count in sorted(ended.items()):
        print(f"{count:6d} {how}")
    # Not getrusage, which tells of the process that this one was forked from, too.
    (most,) = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    print(f"{int(most) / 1024:6.0f} MiB at most")


if __name__ == "__main__":
    main()
