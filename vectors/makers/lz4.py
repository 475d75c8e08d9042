"""The LZ4 frame format 1.6.4. A frame: magic, FLG, BD, [content size], [dictionary id], HC, blocks.

FLG: version 01, independent 5, block checksums 4, content size 3, content checksum 2, reserved 1,
dictionary id 0. BD: bits 6 to 4 say the largest block, 4 to 7 for 64 KiB to 4 MiB.
"""

from . import tools
from .checksums import xxh32
from .manifest import KIB, MIB, Manifest

MAGIC = bytes.fromhex("04224d18")
END = bytes(4)
INDEPENDENT, BLOCK_SUMS, SIZED, SUMMED, RESERVED, DICTIONARY = 0x20, 0x10, 0x08, 0x04, 0x02, 0x01
HELLO = bytes.fromhex("6868656c6c6f2006005068656c6c6f")  # "hello " four times, less the blank
SPEC = "frame format 1.6.4"


def header(flg: int = INDEPENDENT, bd: int = 0x40, fields: bytes = b"", version: int = 1) -> bytes:
    described = bytes([version << 6 | flg, bd]) + fields
    return MAGIC + described + bytes([xxh32(described) >> 8 & 0xFF])


def compressed(content: bytes) -> bytes:
    return len(content).to_bytes(4, "little") + content


def stored(content: bytes) -> bytes:
    return (len(content) | 1 << 31).to_bytes(4, "little") + content


def number(value: int, length: int) -> bytes:
    return value.to_bytes(length, "little")


def skippable(content: bytes, magic: int = 0) -> bytes:
    return bytes([0x50 + magic, 0x2A, 0x4D, 0x18]) + number(len(content), 4) + content


def add(manifest: Manifest) -> None:
    valid_by_tool(manifest)
    valid_by_hand(manifest)
    invalid_headers(manifest)
    invalid_blocks(manifest)
    invalid_ends(manifest)
    bombs(manifest)


def valid_by_tool(manifest: Manifest) -> None:
    def tool(name: str, options: list[str], payload: str, why: str, on_file: bool = False) -> None:
        version = f"lz4 {tools.LZ4}"
        if on_file:
            command = ["lz4", *options, "FILE", "OUT"]
            encoded = tools.run_on_file(command, manifest.content(payload))
        else:
            command = ["lz4", "-q", "-c", *options]
            encoded = tools.run(command, manifest.content(payload))
        manifest.valid("lz4", name, encoded, payload, why, " ".join(command), version)

    tool("level-1", ["-1"], "json-rows", "the quickest level")
    tool("level-9", ["-9"], "json-rows", "the dense encoder")
    tool("level-12", ["-12"], "json-rows", "the densest encoder")
    tool("fast-8", ["--fast=8"], "json-rows", "quicker than level 1")
    for code, size in ((4, "64 KiB"), (5, "256 KiB"), (6, "1 MiB"), (7, "4 MiB")):
        tool(f"blocks-{code}", [f"-B{code}"], "sentence-128k-plus-1", f"blocks of up to {size}")
        tool(f"linked-{code}", [f"-B{code}", "-BD"], "sentence-128k-plus-1",
             f"blocks of up to {size} that look back into those before")  # fmt: skip
    tool("linked-text", ["-BD", "-B4"], "log-lines", "linked blocks that truly need each other")
    tool("block-checksums", ["-BX", "-B4"], "log-lines", "a checksum after each block")
    tool("no-content-checksum", ["--no-frame-crc"], "json-small", "nothing after the end mark")
    tool("sized", ["--content-size"], "json-rows", "the content size in the header", True)
    tool("all-options", ["--content-size", "-BX", "-BD", "-B4"], "log-lines",
         "content size, both checksums, linked blocks", True)  # fmt: skip
    tool("empty", [], "empty", "an empty payload has an end mark and no block")
    tool("one-byte", [], "one-byte", "a block that is stored: nothing of one byte compresses")
    tool("random", ["-B4"], "random-4k", "stored blocks: what does not compress")
    tool("zeros", [], "zeros-64k", "one long match that overlaps itself")
    tool("sized-empty", ["--content-size"], "empty", "the tool leaves out a size of 0", True)


def valid_by_hand(manifest: Manifest) -> None:
    text, four = "hello-times-four", manifest.content("hello-times-four")
    plain = header() + compressed(HELLO) + END

    def hand(name: str, encoded: bytes, payload, why: str) -> None:
        manifest.valid("lz4", name, encoded, payload, why, "by hand", SPEC)

    hand("hello", plain, text, "no checksum, no size, one compressed block")
    sums = header(INDEPENDENT | BLOCK_SUMS | SIZED | SUMMED, fields=number(23, 8))
    sums += compressed(HELLO) + number(xxh32(HELLO), 4) + END + number(xxh32(four), 4)
    hand("every-checksum", sums, text, "the checksum of a block is over its compressed bytes")
    both = header(INDEPENDENT | BLOCK_SUMS) + stored(four) + number(xxh32(four), 4) + END
    hand("stored-with-checksum", both, text, "that of a stored block over the bytes themselves")
    for code in (4, 5, 6, 7):
        small = header(bd=code << 4) + stored(b"x") + END
        why = "largest blocks of up to 4 MiB cost nothing for one byte"
        hand(f"one-byte-blocks-{code}", small, "one-byte", why)
    hand("short-blocks", header() + stored(b"hel") + stored(b"lo") + END, "hello",
         "blocks may be shorter than the largest, also in the middle")  # fmt: skip
    looks_back = b"\x08\x06\x00" + b"\x50hello"
    linked = header(0) + compressed(b"\x60hello ") + compressed(looks_back) + END
    hand("linked-by-hand", linked, text, "the second block begins with a match into the first")
    hand("two-frames", plain * 2, [text] * 2, "frames follow each other")
    empty = header() + END
    hand("empty-then-frame", empty + plain, text, "an empty frame ends nothing")
    hand("empty-frames", empty * 400, "empty", "a flood of empty frames costs what its bytes cost")
    unlike = sums + header() + stored(b"x") + END
    hand("frames-of-unlike-kind", unlike, [text, "one-byte"], "options are those of the frame")
    hand("skippable-first", skippable(b"\1\2\3\4") + plain, text, "skipped, as the format says")
    hand("skippable-last", plain + skippable(b"metadata", 15), text, "the last of sixteen magics")
    hand("skippable-between", plain + skippable(b"") + plain, [text] * 2, "one of no bytes")
    hand("skippable-alone", skippable(b"\1\2\3\4"), "empty", "nothing but a skippable frame")
    every = b"".join(skippable(b"!", magic) for magic in range(16)) * 20
    hand("skippable-flood", every + plain, text, "all sixteen magics, many times")


def invalid_headers(manifest: Manifest) -> None:
    body = compressed(HELLO) + END

    def bad(name: str, encoded: bytes, why: str, expect: str = "malformed") -> None:
        manifest.invalid("lz4", name, encoded, expect, why, "by hand", SPEC)

    good = header()
    bad("header-checksum-wrong", good[:-1] + bytes([good[-1] ^ 1]) + body, "HC is wrong")
    with_magic = bytes([xxh32(good[:-1]) >> 8 & 0xFF])
    bad("header-checksum-with-magic", good[:-1] + with_magic + body,
        "some old writers took the magic into the header checksum")  # fmt: skip
    for version in (0, 2, 3):
        bad(f"version-{version}", header(version=version) + body, "only version 1 is defined",
            "refused")  # fmt: skip
    bad("reserved-flg", header(INDEPENDENT | RESERVED) + body, "a reserved bit is set", "refused")
    bad("reserved-bd-high", header(bd=0xC0) + body, "a reserved bit is set", "refused")
    bad("reserved-bd-low", header(bd=0x41) + body, "a reserved bit is set", "refused")
    for code in range(4):
        bad(f"block-size-{code}", header(bd=code << 4) + body, "no such block size", "refused")
    bad("dictionary-7", header(INDEPENDENT | DICTIONARY, fields=number(7, 4)) + body,
        "needs the dictionary 7: the error names it", "unsupported")  # fmt: skip
    sized = header(INDEPENDENT | SIZED | DICTIONARY, fields=number(23, 8) + number(7, 4))
    bad("dictionary-7-sized", sized + body, "the id comes after the content size", "unsupported")
    legacy = tools.run(["lz4", "-q", "-c", "-l"], manifest.content("json-small"))
    manifest.invalid(
        "lz4", "legacy-frame", legacy, "refused",
        "the legacy format has no end and no checksum: not this format",
        "lz4 -l", f"lz4 {tools.LZ4}",
    )  # fmt: skip
    bad("bare-block", HELLO, "a block without a frame")
    java = b"LZ4Block\x25" + number(len(HELLO), 4) + number(23, 4) + number(0, 4) + HELLO
    bad("java-block-stream", java, "what Java's LZ4BlockOutputStream writes is another format")
    bad("zstd", bytes.fromhex("28b52ffd200529000068656c6c6f"), "a zstd frame is not an LZ4 frame")
    bad("plain-text", b"hello, this is not compressed at all", "not an encoding of anything")
    bad("magic-only", MAGIC, "nothing follows the magic")
    bad("header-only", good, "nothing follows the header")


def invalid_blocks(manifest: Manifest) -> None:
    four = manifest.content("hello-times-four")

    def bad(name: str, encoded: bytes, why: str, expect: str = "malformed") -> None:
        manifest.invalid("lz4", name, encoded, expect, why, "by hand", SPEC)

    wrong = number(xxh32(HELLO) ^ 1, 4)
    bad("block-checksum-wrong", header(INDEPENDENT | BLOCK_SUMS) + compressed(HELLO) + wrong + END,
        "the checksum does not fit the block")  # fmt: skip
    bad("block-checksum-missing", header(INDEPENDENT | BLOCK_SUMS) + compressed(HELLO) + END,
        "FLG promises a checksum and there is none")  # fmt: skip
    wrong = number(xxh32(four) ^ 1, 4)
    summed = header(INDEPENDENT | SUMMED) + compressed(HELLO) + END
    bad("content-checksum-wrong", summed + wrong, "the checksum does not fit the payload")
    bad("content-checksum-missing", summed, "FLG promises a checksum and there is none")
    for size in (0, 22, 24, 1 << 40):
        sized = header(INDEPENDENT | SIZED, fields=number(size, 8)) + compressed(HELLO) + END
        expect = "error" if size > 4 * MIB else "malformed"
        bad(f"content-size-{size}", sized, f"declares {size} bytes, holds 23", expect)
    for size, name in ((0x7FFFFFFF, "2g"), (64 * KIB + 1, "64k-plus-1")):
        bad(f"block-length-{name}", header() + number(size, 4) + HELLO + END,
            "a block longer than the largest that BD allows")  # fmt: skip
    bad("stored-too-long", [(header() + stored(bytes(64 * KIB + 1))[:4], 1), (b"\0", 64 * KIB + 1), (END, 1)],
        "a stored block longer than the largest that BD allows")  # fmt: skip
    large = tools.run(["lz4", "-q", "-c", "-B7", "--no-frame-crc"], bytes(100 * KIB))
    bad("block-expands-too-far", header() + large[7:],
        "a compressed block that holds more than BD allows")  # fmt: skip
    literals = b"\x60hello "
    backwards = b"\x08\x06\x00" + b"\x50hello"
    both = compressed(literals) + compressed(backwards)
    bad("independent-looks-back", header(INDEPENDENT) + both + END,
        "a block that needs the one before, in a frame that says that none does")  # fmt: skip
    bad("offset-0", header() + compressed(b"\x10a\x00\x00\x50aaaaa") + END, "an offset of 0")
    bad("offset-beyond-start", header() + compressed(b"\x10a\x05\x00\x50aaaaa") + END,
        "a match from before the start: nothing older may show")  # fmt: skip
    bad("literals-cut", header() + compressed(b"\xf0\xff\xff\xff") + END, "a length without an end")
    bad("block-empty", header() + compressed(HELLO) + stored(b"") + compressed(b"\x00\x00") + END,
        "a block that ends after an offset's half")  # fmt: skip


def invalid_ends(manifest: Manifest) -> None:
    plain = header() + compressed(HELLO) + END

    def bad(name: str, encoded: bytes, why: str) -> None:
        manifest.invalid("lz4", name, encoded, "malformed", why, "by hand", SPEC)

    bad("no-end-mark", plain[:-4], "the end mark is missing")
    for length in (1, 2, 3):
        bad(f"end-mark-cut-{length}", plain[:-length], "the end mark is cut short")
    bad("block-cut", plain[:-6], "the block is cut short")
    bad("trailing-garbage", plain + bytes.fromhex("deadbeef"), "bytes after the end")
    bad("one-zero", plain + b"\0", "a single byte after the end")
    bad("four-zeros", plain + END, "a second end mark")
    bad("trailing-magic", plain + MAGIC, "the next frame is cut after its magic")
    bad("second-frame-cut", plain + plain[:-4], "the second frame has no end mark")
    cut = bytes.fromhex("502a4d18ffffff7f01020304")
    bad("skippable-cut", cut, "a skippable frame that declares 2 GB and has 4 bytes")


def bombs(manifest: Manifest) -> None:
    def bomb(name: str, encoded: bytes, why: str, limit: int, producer="by hand", v=SPEC) -> None:
        manifest.bomb("lz4", name, encoded, why, limit, producer, v)

    command = ["lz4", "-q", "-c", "-12", "-B7", "--no-frame-crc"]
    zeros = tools.run(command, bytes(4 * MIB))
    why = "4 MiB of zeros at the format's greatest ratio, 255"
    bomb("zeros-4m", zeros, why, MIB, " ".join(command), f"lz4 {tools.LZ4}")
    sized = header(INDEPENDENT | SIZED, fields=number(1 << 30, 8)) + stored(b"x") + END
    bomb("declares-1g", sized, "refused by its header", MIB)
    each = [(header() + number(KIB | 1 << 31, 4), 1), (b"\0", KIB), (END, 1)]
    bomb("many-frames", each * 17, "each within the limit, all together not", 16 * KIB)
    over = header() + stored(manifest.content("sentence-5000")) + END
    bomb("one-over", over, "one byte over the limit", 4999)
    manifest.valid(
        "lz4", "exactly-the-limit", over, "sentence-5000", "as long as the limit allows",
        "by hand", SPEC, limit=5000,
    )  # fmt: skip
