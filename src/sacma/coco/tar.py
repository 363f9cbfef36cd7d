"""Reading of tar files as what they are: names and contents.

Python's own reader expands sparse files, believes negative sizes, and takes quadratic time for some headers.
"""

from collections.abc import Callable, Iterator

BLOCK = 512  # bytes, of which all is a multiple
PIECE = 1 << 20  # bytes that are read at once
LARGEST_TOLD = 8192  # bytes of the headers that tell more of a member, as its name where that is long
FILES_OF_TAR = (b"0", b"\0", b"7")  # kinds of members that are files
WITHOUT_CONTENT = (b"1", b"2", b"3", b"4", b"5", b"6")  # links, devices, folders and pipes

Read = Callable[[int], bytes]  # as the method of a file
Member = tuple[bytes, str, Iterator[bytes]]  # kind, name, and the content in pieces


def tar_members(read: Read) -> Iterator[Member]:
    """Yield the members of a tar, whose contents can be read until the next is asked for.

    The formats are those of POSIX (ustar, pax), GNU's and what was before them. A ValueError or EOFError says that it
    is broken, sparse, or tells too much of a member.
    """
    told: dict[bytes, bytes] = {}  # of the next member
    said = 0  # bytes of it
    begun = False
    while (block := _exactly(read, BLOCK, may_end=begun)).strip(b"\0"):
        begun = True
        kind, size = block[156:157], _size(block)
        if kind == b"S":
            raise ValueError("a member is sparse")
        if kind in b"LKxXg":
            said += BLOCK + size
            if said > LARGEST_TOLD:
                raise ValueError("it says more of a member than there is to say")
            text = b"".join(_pieces(read, size))
            told |= _records(text) if kind in b"xX" else {b"path": text.rstrip(b"\0")} if kind == b"L" else {}
            continue
        size = int(told.get(b"size", size))
        if size < 0:
            raise ValueError(f"a member has {size} bytes")
        pieces = _pieces(read, 0 if kind in WITHOUT_CONTENT else size)
        yield kind, told.get(b"path", _name(block)).decode(errors="surrogateescape"), pieces
        for _ in pieces:
            pass
        told, said = {}, 0


def _exactly(read: Read, size: int, *, may_end: bool = False) -> bytes:
    """Read so many bytes, or nothing where the file may end; raise EOFError where it ends otherwise."""
    content = b""
    while len(content) < size:
        piece = read(size - len(content))
        if not piece and may_end and not content:
            break
        if not piece:
            raise EOFError("it ends too early")
        content += piece
    return content


def _pieces(read: Read, size: int) -> Iterator[bytes]:
    """Yield a content of so many bytes, and read what fills its last block."""
    left = size
    while left:
        yield (piece := _exactly(read, min(left, PIECE)))
        left -= len(piece)
    _exactly(read, -size % BLOCK)


def _size(block: bytes) -> int:
    """Return the size in a header, after a look at its checksum."""
    others = block[:148] + b" " * 8 + block[156:]
    signed = sum(memoryview(others).cast("b"))  # as some have added them up
    if _octal(block[148:156]) not in {sum(others), signed}:
        raise ValueError("a header is damaged")
    size = int.from_bytes(block[125:136]) if block[124:125] == b"\x80" else _octal(block[124:136])
    if size < 0:
        raise ValueError(f"a member has {size} bytes")
    return size


def _octal(field: bytes) -> int:
    return int(field.partition(b"\0")[0].strip() or b"0", 8)


def _name(block: bytes) -> bytes:
    name, prefix = (field.partition(b"\0")[0] for field in (block[:100], block[345:500]))
    return prefix + b"/" + name if prefix and block[257:263] == b"ustar\0" else name


def _records(text: bytes) -> dict[bytes, bytes]:
    """Return what an extended header of pax tells."""
    found, at = {}, 0
    while at < len(text):
        digits = text[at : at + 5].partition(b" ")[0]
        record = text[at : at + int(digits)]
        key, equals, value = record[len(digits) + 1 : -1].partition(b"=")
        if not equals:
            raise ValueError("a header is damaged")
        if key.startswith(b"GNU.sparse"):
            raise ValueError("a member is sparse")
        found[key] = value
        at += len(record)
    return found
