"""Checksums of files, to find damage."""

import zlib


def checksum(content: bytes) -> bytes:
    """Return the CRC-32 as eight hexadecimal digits.

    >>> checksum(b"sacma")
    b'5bbdcc39'
    """
    return b"%08x" % zlib.crc32(content)


def is_whole(content: bytes) -> bool:
    """Return True if the last eight bytes are the checksum of all before them."""
    return content[-8:] == checksum(content[:-8])
