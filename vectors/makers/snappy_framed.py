"""The Snappy framing format: chunks of a type byte, a length of three bytes, and so many bytes.

ff identifier, 00 compressed, 01 uncompressed, fe padding, 80 to fd may be skipped, 02 to 7f not.
Data chunks begin with the masked CRC-32C of what they hold, 64 KiB at most.
"""

import cramjam

from . import tools
from .checksums import crc32c
from .manifest import KIB, MIB, Manifest
from .snappy_block import copy2, literal, varint

IDENTIFIER = b"\xff\x06\x00\x00sNaPpY"
SPEC = "framing_format.txt of google/snappy"


def chunk(kind: int, content: bytes) -> bytes:
    return bytes([kind]) + len(content).to_bytes(3, "little") + content


def masked(payload: bytes) -> bytes:
    crc = crc32c(payload)
    rotated = (crc >> 15 | crc << 17) & 0xFFFFFFFF
    return ((rotated + 0xA282EAD8) & 0xFFFFFFFF).to_bytes(4, "little")


def compressed(payload: bytes, block: bytes | None = None) -> bytes:
    block = bytes(cramjam.snappy.compress_raw(payload)) if block is None else block
    return chunk(0, masked(payload) + block)


def uncompressed(payload: bytes) -> bytes:
    return chunk(1, masked(payload) + payload)


def add(manifest: Manifest) -> None:
    valid_by_tool(manifest)
    valid_by_hand(manifest)
    invalid_chunks(manifest)
    invalid_data(manifest)
    bombs(manifest)


def valid_by_tool(manifest: Manifest) -> None:
    for payload, why in (
        ("json-rows", "JSON"),
        ("protobuf-like", "short copies"),
        ("log-lines", "several chunks"),
        ("random-64k-plus-1", "uncompressed chunks: what does not compress"),
        ("zeros-64k", "one chunk, filled to the last byte"),
        ("sentence-64k-less-1", "one byte less than a chunk holds"),
        ("sentence-64k-plus-1", "one byte more than a chunk holds"),
        ("utf8-mixed", "text of several scripts"),
        ("nine-digits", "a workload that others publish numbers for"),
        ("one-byte", "the shortest payload that is not empty"),
    ):
        encoded = bytes(cramjam.snappy.compress(manifest.content(payload)))
        version = f"cramjam {tools.CRAMJAM}"
        manifest.valid("snappy", payload, encoded, payload, why, "cramjam.snappy.compress", version)


def valid_by_hand(manifest: Manifest) -> None:
    hello = manifest.content("hello")

    def hand(name: str, encoded: bytes, payload, why: str) -> None:
        manifest.valid("snappy", name, encoded, payload, why, "by hand", SPEC)

    whole = IDENTIFIER + compressed(hello)
    hand("compressed", whole, "hello", "one compressed chunk")
    hand("uncompressed", IDENTIFIER + uncompressed(hello), "hello", "one uncompressed chunk")
    mixed = IDENTIFIER + compressed(hello) + uncompressed(hello)
    hand("both-kinds", mixed, ["hello", "hello"], "both kinds of chunk in one stream")
    hand("identifier-only", IDENTIFIER, "empty", "a stream without data")
    hand("identifier-repeated", whole + whole, ["hello", "hello"],
         "section 4.1: streams may be joined")  # fmt: skip
    hand("identifiers-flood", IDENTIFIER * 500 + compressed(hello), "hello",
         "a flood of identifiers costs what its bytes cost")  # fmt: skip
    hand("padding", IDENTIFIER + chunk(0xFE, bytes(9)) + compressed(hello), "hello", "skipped")
    hand("padding-last", whole + chunk(0xFE, bytes(9)), "hello", "padding after the data")
    hand("padding-not-zero", IDENTIFIER + chunk(0xFE, b"anything") + compressed(hello), "hello",
         "section 4.4: the content of padding is not looked at")  # fmt: skip
    hand("padding-empty", IDENTIFIER + chunk(0xFE, b"") + compressed(hello), "hello", "of no bytes")
    for kind in (0x80, 0xC4, 0xFD):
        hand(f"skippable-{kind:x}", IDENTIFIER + chunk(kind, b"ab") + compressed(hello), "hello",
             "a reserved chunk that may be skipped")  # fmt: skip
    hand("skippable-empty-flood", IDENTIFIER + chunk(0x80, b"") * 500 + compressed(hello), "hello",
         "a flood of chunks that hold nothing")  # fmt: skip
    full = manifest.content("zeros-64k")
    hand("uncompressed-full", [(IDENTIFIER + uncompressed(full)[:8], 1), (b"\0", 65536)], "zeros-64k", "an uncompressed chunk filled to the last byte")  # fmt: skip
    hand("compressed-full", IDENTIFIER + compressed(full), "zeros-64k", "the same, compressed")
    hand("chunk-of-nothing", IDENTIFIER + uncompressed(b"") + compressed(b"") + compressed(hello),
         "hello", "data chunks of no data")  # fmt: skip
    hand("many-small-chunks", IDENTIFIER + uncompressed(hello) * 300, ["hello"] * 300,
         "a writer that flushes after every few bytes")  # fmt: skip


def invalid_chunks(manifest: Manifest) -> None:
    hello = manifest.content("hello")
    whole = IDENTIFIER + compressed(hello)

    def bad(name: str, encoded: bytes, why: str, expect: str = "malformed") -> None:
        manifest.invalid("snappy", name, encoded, expect, why, "by hand", SPEC)

    bad("no-identifier", compressed(hello), "a stream begins with its identifier")
    bad("no-identifier-short", bytes.fromhex("00040000644e6c717920776f726c64"),
        "no identifier and a chunk of a checksum only: must return, not spin")  # fmt: skip
    bad("padding-first", chunk(0xFE, b"") + whole, "padding before the identifier")
    bad("identifier-text", whole.replace(b"sNaPpY", b"SnApPy"), "the identifier is misspelled")
    bad("identifier-length", b"\xff\x07\x00\x00sNaPpY!" + compressed(hello),
        "the identifier is six bytes long")  # fmt: skip
    bad("identifier-cut", IDENTIFIER[:3], "the identifier is cut short")
    bad("second-identifier-cut", whole + IDENTIFIER[:-1], "the second one is cut short")
    bad("second-identifier-text", whole + b"\xff\x06\x00\x00SNAPPY", "the second is misspelled")
    for kind in (0x02, 0x40, 0x7F):
        bad(f"unskippable-{kind:02x}", IDENTIFIER + chunk(kind, b"ab") + compressed(hello),
            "a reserved chunk that may not be skipped", "refused")  # fmt: skip
    bad("header-cut", whole + b"\x00\x05", "a chunk header is cut short")
    bad("chunk-cut", whole[:-1], "the last chunk is cut short")
    bad("padding-cut", whole + b"\xfe\x09\x00\x00" + bytes(8), "the padding is cut short")
    bad("padding-16m-declared", whole + b"\xfe\xff\xff\xff" + bytes(8),
        "16 MB of padding are declared and not there: nothing is allocated")  # fmt: skip
    bad("skippable-16m-declared", IDENTIFIER + b"\x80\xff\xff\xff" + bytes(8), "the same, skippable")
    bad("compressed-16m-declared", IDENTIFIER + b"\x00\xff\xff\xff" + bytes(8), "the same, data")
    bad("trailing-garbage", whole + b"garbage!", "bytes after the last chunk", "refused")
    bad("one-zero", whole + b"\0", "a single byte after the last chunk")
    bad("given-block", varint(5) + literal(hello), "the block format: the error should say so")
    xerial = bytes.fromhex("82534e41505059000000000100000001")
    block = varint(5) + literal(hello)
    bad("xerial", xerial + len(block).to_bytes(4, "big") + block, "snappy-java's own framing")
    bad("xerial-negative", xerial + b"\xff\xff\xff\xff", "the same with a negative length")
    bad("plain-text", b"hello, this is not compressed at all", "not an encoding of anything")


def invalid_data(manifest: Manifest) -> None:
    hello = manifest.content("hello")

    def bad(name: str, encoded, why: str) -> None:
        if isinstance(encoded, bytes):
            encoded = IDENTIFIER + encoded
        manifest.invalid("snappy", name, encoded, "malformed", why, "by hand", SPEC)

    good, plain = compressed(hello), uncompressed(hello)
    bad("crc-wrong", good[:4] + bytes([good[4] ^ 1]) + good[5:], "the checksum is wrong")
    bad("crc-wrong-uncompressed", plain[:4] + bytes([plain[4] ^ 1]) + plain[5:], "also here")
    unmasked = crc32c(hello).to_bytes(4, "little")
    bad("crc-unmasked", chunk(1, unmasked + hello), "the checksum is not masked")
    bad("data-changed", plain[:-1] + b"O", "the data do not fit the checksum")
    bad("chunk-empty", bytes.fromhex("000000002601ff00"), "a data chunk without a checksum")
    bad("chunk-3-bytes", chunk(0, b"\1\2\3"), "a data chunk shorter than a checksum")
    bad("chunk-3-bytes-uncompressed", chunk(1, b"\1\2\3"), "the same, uncompressed")
    bad("chunk-checksum-only", chunk(0, masked(b"")), "a compressed chunk without a block")
    start = IDENTIFIER + uncompressed(bytes(65537))[:8]
    bad("uncompressed-65537", [(start, 1), (b"\0", 65537)], "a chunk holds 65536 bytes at most")
    copies = literal(b"\0") + copy2(64, 1) * 1024
    bad("compressed-65537", compressed(bytes(65537), varint(65537) + copies),
        "a chunk holds 65536 bytes at most, also compressed")  # fmt: skip
    bad("block-claims-4g", chunk(0, masked(hello) + bytes.fromhex("ffffffff0f") + literal(hello)),
        "the block in a chunk claims 4 GiB")  # fmt: skip
    bad("block-trailing", compressed(hello, varint(5) + literal(hello) + b"\0"),
        "bytes after the block within a chunk")  # fmt: skip
    bad("block-two", compressed(hello * 2, (varint(5) + literal(hello)) * 2), "two blocks in one")
    bad("block-looks-back", compressed(hello) + compressed(hello, varint(5) + copy2(5, 5)),
        "a block that copies from the chunk before: nothing older may show")  # fmt: skip
    bad("second-chunk-crc", good + chunk(0, masked(b"other") + good[8:]), "in the second chunk")


def bombs(manifest: Manifest) -> None:
    def bomb(name: str, encoded: bytes, why: str, limit: int, repeat: int = 1) -> None:
        parts = IDENTIFIER + encoded if repeat == 1 else [(IDENTIFIER, 1), (encoded, repeat)]
        manifest.bomb("snappy", name, parts, why, limit, "by hand", SPEC)

    full = varint(65536) + literal(b"\0") + copy2(64, 1) * 1023 + copy2(63, 1)
    zeros = compressed(bytes(65536), full)
    bomb("zeros-1m", zeros, "1 MiB in 48 KB: the format's greatest ratio, 21", 256 * KIB, 16)
    bomb("declares-too-much", zeros, "a chunk that declares more than the limit leaves", 65535)
    over = compressed(manifest.content("sentence-5000"))
    bomb("one-over", over, "one byte over the limit", 4999)
    bomb("many-chunks", uncompressed(bytes(KIB)), "together more than the limit", 16 * KIB, 17)
    manifest.valid(
        "snappy", "exactly-the-limit", IDENTIFIER + over, "sentence-5000",
        "as long as the limit allows", "by hand", SPEC, limit=5000,
    )  # fmt: skip
    bomb("padded-bomb", chunk(0xFE, bytes(500)) + zeros, "behind padding, again and again", 256 * KIB, 5)
