"""RFC 1952. Byte 3 of the header says which fields follow; the trailer is CRC-32 and length."""

import zlib

from . import tools
from .manifest import KIB, MIB, Manifest

FTEXT, FHCRC, FEXTRA, FNAME, FCOMMENT = 1, 2, 4, 8, 16


def raw_deflate(payload: bytes, level: int = 9) -> bytes:
    compressor = zlib.compressobj(level, zlib.DEFLATED, -15)
    return compressor.compress(payload) + compressor.flush()


def member(payload: bytes, flags: int = 0, fields: bytes = b"", method: int = 8) -> bytes:
    header = bytes([0x1F, 0x8B, method, flags]) + bytes(4) + b"\x02\xff" + fields
    if flags & FHCRC:
        header += (zlib.crc32(header) & 0xFFFF).to_bytes(2, "little")
    trailer = zlib.crc32(payload).to_bytes(4, "little")
    trailer += (len(payload) & 0xFFFFFFFF).to_bytes(4, "little")
    return header + raw_deflate(payload) + trailer


def add(manifest: Manifest) -> None:
    valid_by_tool(manifest)
    valid_by_hand(manifest)
    invalid_headers(manifest)
    invalid_ends(manifest)
    bombs(manifest)


def valid_by_tool(manifest: Manifest) -> None:
    def tool(name: str, level: int, payload: str, why: str) -> None:
        command = ["gzip", f"-{level}", "-n", "-c"]
        encoded = tools.run(command, manifest.content(payload))
        producer = " ".join(command)
        manifest.valid("gzip", name, encoded, payload, why, producer, f"gzip {tools.GZIP}")

    tool("level-1", 1, "json-rows", "the quickest level of the reference tool")
    tool("level-6", 6, "json-rows", "the default level of the reference tool")
    tool("level-9", 9, "log-lines", "the best level of the reference tool, several blocks")
    tool("empty", 6, "empty", "an empty payload still has a header and a trailer")
    tool("one-byte", 6, "one-byte", "the shortest payload that is not empty")
    tool("random", 6, "random-4k", "stored blocks: what does not compress is kept as it is")
    tool("zeros", 9, "zeros-64k", "matches of the greatest length, 258")
    tool("utf8", 6, "utf8-mixed", "text of several scripts")
    content = manifest.content("json-small")
    named = tools.run_on_file(["sh", "-c", 'gzip -c "$0" > "$1"', "FILE", "OUT"], content)
    manifest.valid(
        "gzip", "named-by-tool", named, "json-small",
        "the tool writes the name and the time of the file", "gzip -c FILE", f"gzip {tools.GZIP}",
    )  # fmt: skip
    huffman = zlib.compressobj(6, zlib.DEFLATED, 31, 9, zlib.Z_HUFFMAN_ONLY)
    encoded = huffman.compress(manifest.content("protobuf-like")) + huffman.flush()
    manifest.valid(
        "gzip", "huffman-only", encoded, "protobuf-like",
        "blocks without a single match", "zlib.compressobj Z_HUFFMAN_ONLY", tools.ZLIB,
    )  # fmt: skip
    fixed = zlib.compressobj(6, zlib.DEFLATED, 31, 9, zlib.Z_FIXED)
    encoded = fixed.compress(manifest.content("protobuf-like")) + fixed.flush()
    manifest.valid(
        "gzip", "fixed-codes", encoded, "protobuf-like",
        "blocks with the fixed Huffman codes", "zlib.compressobj Z_FIXED", tools.ZLIB,
    )  # fmt: skip
    synced = zlib.compressobj(6, zlib.DEFLATED, 31)
    encoded = b""
    content = manifest.content("json-rows")
    for start in range(0, len(content), 4000):
        encoded += synced.compress(content[start : start + 4000]) + synced.flush(zlib.Z_SYNC_FLUSH)
    manifest.valid(
        "gzip", "sync-flushed", encoded + synced.flush(), "json-rows",
        "a streaming writer flushes: empty stored blocks in the middle",
        "zlib.compressobj Z_SYNC_FLUSH", tools.ZLIB,
    )  # fmt: skip


def valid_by_hand(manifest: Manifest) -> None:
    hello = manifest.content("hello")

    def hand(name: str, encoded: bytes, payload, why: str) -> None:
        manifest.valid("gzip", name, encoded, payload, why, "by hand", "RFC 1952")

    extra = (8).to_bytes(2, "little") + b"AB\x04\x00data"
    every = extra + b"file.txt\0" + b"a comment\0"
    hand("ftext", member(hello, FTEXT), "hello", "FTEXT is a hint and changes nothing")
    hand("fname", member(hello, FNAME, b"file.txt\0"), "hello", "a name is skipped")
    hand("fcomment", member(hello, FCOMMENT, b"a comment\0"), "hello", "a comment is skipped")
    hand("fextra", member(hello, FEXTRA, extra), "hello", "extra fields are skipped")
    hand("fextra-empty", member(hello, FEXTRA, b"\0\0"), "hello", "an extra field of no bytes")
    hand("fhcrc", member(hello, FHCRC), "hello", "the right header checksum is accepted")
    flags = FHCRC | FEXTRA | FNAME | FCOMMENT
    hand("every-field", member(hello, flags, every), "hello", "all fields, in the order of the RFC")
    hand(
        "two-members", member(hello) + member(hello), ["hello", "hello"],
        "RFC 1952 section 2.2: members follow each other and mean the payloads joined",
    )  # fmt: skip
    hand("member-then-empty", member(hello) + member(b""), "hello", "an empty member adds nothing")
    hand("empty-then-member", member(b"") + member(hello), "hello", "an empty member ends nothing")
    hand(
        "empty-members", member(b"") * 400, "empty",
        "a flood of members that hold nothing costs what its bytes cost",
    )  # fmt: skip
    hand(
        "members-of-unlike-size",
        member(hello) + member(manifest.content("nine-digits")) + member(b"x", FNAME, b"n\0"),
        ["hello", "nine-digits", "one-byte"], "the output cannot be sized from one trailer",
    )  # fmt: skip


def invalid_headers(manifest: Manifest) -> None:
    hello = manifest.content("hello")
    good = member(hello)

    def bad(name: str, encoded: bytes, why: str, expect: str = "malformed") -> None:
        manifest.invalid("gzip", name, encoded, expect, why, "by hand", "RFC 1952")

    for bit in (5, 6, 7):
        why = "section 2.3.1.2: reserved bits must be zero, a reader must say so"
        bad(f"reserved-flag-{bit}", member(hello, 1 << bit), why, "refused")
    wrong = bytearray(member(hello, FHCRC))
    wrong[10] ^= 1
    bad("fhcrc-wrong", bytes(wrong), "the header checksum does not fit the header")
    named = bytearray(member(hello, FHCRC | FNAME, b"file.txt\0"))
    named[12] ^= 0x20
    bad("fhcrc-name-changed", bytes(named), "the header checksum covers the name")
    bad("method-7", member(hello, method=7), "only method 8 is defined", "refused")
    bad("magic-wrong", b"\x1f\x8c" + good[2:], "the second magic byte is wrong")
    bad("fname-unended", member(hello, FNAME, b"")[:10] + b"name", "the name has no end")
    bad("fextra-too-long", good[:3] + b"\x04" + good[4:10] + b"\xff\xff" + good[10:],
        "the extra field reaches beyond the end")  # fmt: skip
    bad("raw-deflate", raw_deflate(hello), "a bare deflate stream has no header")
    bad("zlib", zlib.compress(hello), "a zlib stream is not a gzip member")
    bad("plain-text", b"hello, this is not compressed at all", "not an encoding of anything")
    bad("header-only", good[:10], "nothing follows the header")


def invalid_ends(manifest: Manifest) -> None:
    hello = manifest.content("hello")
    good = member(hello)

    def bad(name: str, encoded: bytes, why: str, expect: str = "malformed") -> None:
        manifest.invalid("gzip", name, encoded, expect, why, "by hand", "RFC 1952")

    def changed(position: int) -> bytes:
        copy = bytearray(good)
        copy[position] ^= 1
        return bytes(copy)

    bad("crc-wrong", changed(-8), "the checksum in the trailer does not fit the payload")
    bad("length-wrong", changed(-4), "the length in the trailer does not fit the payload")
    bad("length-huge", good[:-1] + b"\x7f", "the trailer claims 2 GB: wrong, and no allocation")
    bad("no-trailer", good[:-8], "the trailer is missing")
    bad("half-trailer", good[:-4], "the trailer ends after the checksum")
    bad("no-end-of-block", bytes.fromhex("1f8b0800000000000203737474740400"),
        "the last block has no end: must return, not wait for more")  # fmt: skip
    bad("zero-padding", good + bytes(8), "the gzip tool ignores zeros after the end, we do not")
    bad("one-zero", good + b"\0", "a single byte after the end")
    bad("trailing-garbage", good + b"garbage!", "bytes after the end that are no member")
    bad("second-member-cut", good + good[:-3], "the second member is cut short")
    bad("second-member-magic", good + b"\x1f\x8b", "the second member is cut after its magic")
    bad("second-member-crc", good + changed(-8), "the second member's checksum is wrong")
    # Fixed codes: last block, literal "a", a match of 3 bytes from 2 back, the end of the block.
    bits = "1" + "10" + "10010001" + "0000001" + "00001" + "0000000"
    far = int(bits[::-1], 2).to_bytes(len(bits) // 8 + 1, "little")
    bad("distance-beyond-start", good[:10] + far + good[-8:],
        "a match from before the start: nothing older may show")  # fmt: skip
    bad("block-type-3", good[:10] + b"\x07\x00" + good[-8:], "block type 3 is reserved")
    bad("stored-length-check", good[:10] + b"\x01\x05\x00\x00\x00hello" + good[-8:],
        "a stored block's length and its complement disagree")  # fmt: skip


def bombs(manifest: Manifest) -> None:
    encoded = member(bytes(4 * MIB))
    why = "4 MiB of zeros in 4 KB: deflate's greatest ratio, 1032"
    manifest.bomb("gzip", "zeros-4m", encoded, why, MIB, "by hand", "RFC 1952")
    lying = encoded[:-4] + b"\x01\0\0\0"
    why = "the same with a trailer that claims one byte: the limit is on what comes out"
    manifest.bomb("gzip", "zeros-4m-claims-1", lying, why, MIB, "by hand", "RFC 1952")
    many = member(bytes(KIB)) * 65
    why = "each member is within the limit, all together are not"
    manifest.bomb("gzip", "many-members", many, why, 64 * KIB, "by hand", "RFC 1952")
    over = member(manifest.content("sentence-5000"))
    manifest.bomb("gzip", "one-over", over, "one byte over the limit", 4999, "by hand", "RFC 1952")
    manifest.valid(
        "gzip", "exactly-the-limit", over, "sentence-5000", "as long as the limit allows",
        "by hand", "RFC 1952", limit=5000,
    )  # fmt: skip
