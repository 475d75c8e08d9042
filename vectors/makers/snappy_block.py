"""The Snappy block format: the payload's length as a varint, then literals and copies.

The two low bits of a tag say which: 00 literal, 01, 10 and 11 copies with offsets of 1 (and three
bits of the tag), 2 and 4 bytes.
"""

import cramjam

from . import tools
from .manifest import KIB, MIB, Manifest

SPEC = "format description of google/snappy"


def varint(value: int, length: int = 0) -> bytes:
    """In `length` bytes at least, by leading zeros that a shorter form would leave out."""
    out = bytearray()
    while value >> 7 or len(out) + 1 < length:
        out.append(0x80 | value & 0x7F)
        value >>= 7
    return bytes(out) + bytes([value])


def literal(content: bytes, length_bytes: int = 0) -> bytes:
    length = len(content) - 1
    if length_bytes:
        return bytes([59 + length_bytes << 2]) + length.to_bytes(length_bytes, "little") + content
    return bytes([length << 2]) + content


def copy1(length: int, offset: int) -> bytes:
    return bytes([offset >> 8 << 5 | length - 4 << 2 | 1, offset & 0xFF])


def copy2(length: int, offset: int) -> bytes:
    return bytes([length - 1 << 2 | 2]) + offset.to_bytes(2, "little")


def copy4(length: int, offset: int) -> bytes:
    return bytes([length - 1 << 2 | 3]) + offset.to_bytes(4, "little")


def add(manifest: Manifest) -> None:
    valid_by_tool(manifest)
    valid_by_hand(manifest)
    invalid(manifest)
    bombs(manifest)


def valid_by_tool(manifest: Manifest) -> None:
    for payload, why in (
        ("json-rows", "JSON, in one block of more than 64 KiB"),
        ("protobuf-like", "short copies"),
        ("random-4k", "a literal with a length of two bytes"),
        ("zeros-64k", "copies that overlap themselves"),
        ("sentence-64k-less-1", "one byte less than the encoder takes at once"),
        ("sentence-64k-plus-1", "one byte more"),
        ("utf8-mixed", "text of several scripts"),
        ("nine-digits", "a workload that others publish numbers for"),
        ("one-byte", "the shortest payload that is not empty"),
        ("empty", "one byte that says: length 0"),
    ):
        encoded = bytes(cramjam.snappy.compress_raw(manifest.content(payload)))
        version = f"cramjam {tools.CRAMJAM}"
        producer = "cramjam.snappy.compress_raw"
        manifest.valid("snappy-block", payload, encoded, payload, why, producer, version)


def valid_by_hand(manifest: Manifest) -> None:
    hello = manifest.content("hello")

    def hand(name: str, encoded: bytes, payload, why: str) -> None:
        manifest.valid("snappy-block", name, encoded, payload, why, "by hand", SPEC)

    hand("hello", varint(5) + literal(hello), "hello", "one literal")
    for length in (1, 2, 3, 4):
        hand(f"literal-length-{length}", varint(5) + literal(hello, length), "hello",
             f"a literal with a length of {length} bytes though none is needed")  # fmt: skip
    text, start = "hello-times-four", varint(23) + literal(b"hello ")
    for name, copies in (
        ("copy-1", copy1(11, 6) + copy1(6, 6)),
        ("copy-2", copy2(17, 6)),
        ("copy-4", copy4(17, 6)),
        ("copy-short", copy2(1, 6) * 17),
        ("copy-each", copy1(4, 6) + copy2(9, 6) + copy4(4, 12)),
    ):
        hand(name, start + copies, text, "copies with offsets of 1, 2 and 4 bytes, overlapping")
    hand("copy-length-64", varint(65) + literal(b"\0") + copy2(64, 1), "zeros-65",
         "the longest copy, at the shortest offset")  # fmt: skip
    far = manifest.content("random-4k")
    encoded = varint(4096 + 60) + literal(far, 2) + copy2(60, 4096)
    hand("copy-offset-4096", encoded, ["random-4k", "random-first-60"],
         "a copy from the very start")  # fmt: skip
    encoded = varint(64) + literal(far[:60]) + copy1(4, 60)
    hand("literal-60", encoded, ["random-first-60", "random-first-4"],
         "the longest literal without a length of its own")  # fmt: skip
    hand("length-padded", varint(5, 2) + literal(hello), "hello", "a varint one byte too long")
    hand("length-padded-to-5", varint(5, 5) + literal(hello), "hello", "a varint of five bytes")
    hand("empty-padded", varint(0, 5), "empty", "length 0 in five bytes")


def invalid(manifest: Manifest) -> None:
    hello = manifest.content("hello")
    good = varint(5) + literal(hello)

    def bad(name: str, encoded: bytes, why: str, expect: str = "malformed") -> None:
        manifest.invalid("snappy-block", name, encoded, expect, why, "by hand", SPEC)

    bad("length-too-long", varint(10) + literal(hello), "declares 10 bytes, holds 5")
    bad("length-too-short", varint(3) + literal(hello), "declares 3 bytes, holds 5")
    bad("length-0-holds-5", varint(0) + literal(hello), "declares nothing, holds 5")
    bad("length-only", varint(5), "declares 5 bytes, holds none")
    bad("length-cut", b"\x85", "the varint has no end")
    bad("length-6-bytes", varint(5, 6) + literal(hello), "a length of six bytes", "error")
    bad("length-12-bytes", bytes.fromhex("808080808080808080800100"), "a length of 2^70", "error")
    bad("length-over-32-bits", bytes.fromhex("ffffffff1f") + literal(hello),
        "a length of more than 32 bits", "error")  # fmt: skip
    bad("trailing-zero", good + b"\0", "bytes after the declared length")
    bad("trailing-garbage", good + b"garbage!", "bytes after the declared length")
    bad("two-blocks", good * 2, "blocks do not follow each other: nothing says where one ends")
    bad("literal-cut", good[:-2], "the literal is cut short")
    bad("literal-length-cut", varint(5) + b"\xf4\x04", "the literal's length is cut short")
    bad("literal-2g", varint(5) + b"\xfc\xff\xff\xff\x7f" + hello, "a literal of 2 GiB")
    bad("literal-4g", varint(5) + b"\xfc\xff\xff\xff\xff" + hello, "a literal of 4 GiB")
    begin = varint(9) + literal(b"a")
    for name, copy in (("1", copy1), ("2", copy2), ("4", copy4)):
        bad(f"copy-{name}-offset-0", begin + copy(8, 0), "an offset of 0")
        bad(f"copy-{name}-beyond-start", begin + copy(8, 2),
            "a copy from before the start: nothing older may show")  # fmt: skip
        bad(f"copy-{name}-too-long", begin + copy(9, 1), "one byte more than declared")
        bad(f"copy-{name}-cut", (begin + copy(8, 1))[:-1], "the offset is cut short")
    bad("copy-first", varint(8) + copy1(8, 1), "a copy before there is anything")
    bad("copy-4-offset-4g", begin + copy4(8, 0xFFFFFFFF), "an offset of 4 GiB")
    framed = bytes.fromhex("ff060000734e61507059000f00008a1fb154171468656c6c6f20420600")
    bad("given-framed", framed, "the framed format: the error should say so", "error")
    bad("plain-text", b"hello, this is not compressed at all", "not an encoding of anything")


def bombs(manifest: Manifest) -> None:
    def bomb(name: str, encoded: bytes, why: str, limit: int) -> None:
        manifest.bomb("snappy-block", name, encoded, why, limit, "by hand", SPEC)

    claims = "refused before anything is allocated"
    bomb("claims-4g", bytes.fromhex("ffffffff0f00"), f"6 bytes claim 4 GiB: {claims}", MIB)
    bomb("claims-256m", bytes.fromhex("8080808001"), f"5 bytes claim 256 MiB: {claims}", MIB)
    body = bytes.fromhex("0a085f5f6e616d655f5f120b746573745f6d6574726963121009000000000000f03f")
    claims_more = bytes.fromhex("97eab4890a17") + body + bytes.fromhex("10d48fc9b2a333")
    bomb("claims-2700m", claims_more, f"a metrics message that claims 2.7 GB: {claims}", MIB)
    start = varint(1 + 64 * 16 * KIB) + literal(b"\0")
    zeros = [(start, 1), (copy2(64, 1), 16 * KIB)]
    bomb("zeros-1m", zeros, "1 MiB in 48 KB: the format's greatest ratio, 21", 64 * KIB)
    over = bytes(cramjam.snappy.compress_raw(manifest.content("sentence-5000")))
    bomb("one-over", over, "one byte over the limit", 4999)
    manifest.valid(
        "snappy-block", "exactly-the-limit", over, "sentence-5000", "as long as the limit allows",
        "cramjam.snappy.compress_raw", f"cramjam {tools.CRAMJAM}", limit=5000,
    )  # fmt: skip
