"""RFC 8878. A frame: magic, descriptor, [window], [dictionary id], [content size], blocks."""

import pathlib
import subprocess
import tempfile

from . import tools
from .manifest import KIB, MIB, Manifest

MAGIC = bytes.fromhex("28b52ffd")
SINGLE_SEGMENT, UNUSED, RESERVED, CHECKSUM = 0x20, 0x10, 0x08, 0x04
RAW, RLE, COMPRESSED, RESERVED_BLOCK = range(4)


def block(kind: int, size: int, content: bytes, last: bool = False) -> bytes:
    return (size << 3 | kind << 1 | last).to_bytes(3, "little") + content


def frame(descriptor: int, fields: bytes, *blocks: bytes) -> bytes:
    return MAGIC + bytes([descriptor]) + fields + b"".join(blocks)


def raw(content: bytes, last: bool = True) -> bytes:
    return block(RAW, len(content), content, last)


def skippable(content: bytes, number: int = 0) -> bytes:
    return bytes([0x50 + number, 0x2A, 0x4D, 0x18]) + len(content).to_bytes(4, "little") + content


def add(manifest: Manifest) -> None:
    valid_by_tool(manifest)
    valid_by_hand(manifest)
    windows(manifest)
    dictionaries(manifest)
    invalid_frames(manifest)
    invalid_ends(manifest)
    bombs(manifest)


def valid_by_tool(manifest: Manifest) -> None:
    def piped(name: str, options: list[str], payload: str, why: str, limit: int = 4 * MIB) -> None:
        command = ["zstd", "-q", "-c", *options]
        encoded = tools.run(command, manifest.content(payload))
        producer = " ".join(command) + " (from a pipe)"
        version = f"zstd {tools.ZSTD}"
        manifest.valid("zstd", name, encoded, payload, why, producer, version, limit)

    def sized(name: str, options: list[str], payload: str, why: str) -> None:
        command = ["zstd", "-q", *options, "FILE", "-o", "OUT"]
        encoded = tools.run_on_file(command, manifest.content(payload))
        producer = " ".join(command)
        manifest.valid("zstd", name, encoded, payload, why, producer, f"zstd {tools.ZSTD}")

    piped("fast-5", ["--fast=5"], "json-rows", "a negative level")
    piped("level-1", ["-1"], "json-rows", "the quickest regular level")
    piped("level-3", ["-3"], "json-rows", "the default level; no content size in the header")
    piped("level-19", ["-19"], "json-rows", "a level with the optimal parser")
    piped("level-22", ["--ultra", "-22"], "log-lines", "the last level, with its 128 MiB window")
    piped("no-checksum", ["--no-check"], "json-small", "a frame without a checksum")
    piped("random", ["-3"], "random-4k", "raw blocks: what does not compress")
    piped("zeros", ["-3"], "zeros-64k", "one RLE block")
    piped("several-blocks", ["-1"], "sentence-128k-plus-1", "one byte more than a block can hold")
    piped("long-27", ["--long=27"], "json-rows", "a window of 128 MiB for 60 KB")
    piped("empty", [], "empty", "an empty payload still has a block")
    piped("raw-literals", ["-1", "--no-compress-literals"], "json-rows", "literals left as they are")
    sized("sized", ["-3"], "json-rows", "content size in the header, a single segment")
    sized("sized-no-checksum", ["-3", "--no-check"], "json-small", "what one-shot writers write")
    sized("sized-empty", [], "empty", "a content size of 0")
    sized("sized-one-byte", [], "one-byte", "a content size of 1")
    sized("sized-big", ["-1"], "zeros-3m", "a content size of four bytes")
    piped("utf8", ["-5"], "utf8-mixed", "text of several scripts")
    piped("nine-digits", ["-1"], "nine-digits", "a workload that others publish numbers for")


def windows(manifest: Manifest) -> None:
    for log in (21, 22, 23, 27):
        command = ["zstd", "-q", "-c", f"--zstd=wlog={log}", "--single-thread"]
        if log > 23:
            command.append("--long=27")
        encoded = tools.run(command, manifest.content("json-small"))
        manifest.valid(
            "zstd", f"window-2-{log}-small-message", encoded, "json-small",
            "streaming writers declare megabytes for small messages: the content decides",
            " ".join(command) + " (from a pipe)", f"zstd {tools.ZSTD}", limit=64 * KIB,
        )  # fmt: skip
    empty = frame(0, b"\x88", block(RAW, 0, b"", True))
    manifest.valid(
        "zstd", "window-128m-empty", empty, "empty",
        "nine bytes that declare a window of 128 MiB: nothing is allocated for it",
        "by hand", "RFC 8878", limit=MIB,
    )  # fmt: skip


def valid_by_hand(manifest: Manifest) -> None:
    hello = manifest.content("hello")
    single = frame(SINGLE_SEGMENT, b"\x05", raw(hello))

    def hand(name: str, encoded: bytes, payload, why: str) -> None:
        manifest.valid("zstd", name, encoded, payload, why, "by hand", "RFC 8878")

    hand("hello", single, "hello", "the smallest header there is, one raw block")
    hand("unused-bit", frame(SINGLE_SEGMENT | UNUSED, b"\x05", raw(hello)), "hello",
         "section 3.1.1.1.1.3: a reader does not interpret the unused bit")  # fmt: skip
    hand("size-4-bytes", frame(0xA0, b"\x05\0\0\0", raw(hello)), "hello",
         "a content size in four bytes though one would do")  # fmt: skip
    hand("size-8-bytes", frame(0xE0, b"\x05" + bytes(7), raw(hello)), "hello",
         "a content size in eight bytes though one would do")  # fmt: skip
    hand("window-and-size", frame(0x80, b"\x00\x05\0\0\0", raw(hello)), "hello",
         "a window of 1 KiB beside the content size")  # fmt: skip
    hand("rle", frame(0, b"\x38", block(RLE, 1, b"x", True)), "one-byte", "an RLE block of one")
    hand("raw-then-empty", frame(0, b"\x38", raw(hello, False), block(RAW, 0, b"", True)), "hello",
         "streaming writers end with an empty block")  # fmt: skip
    empties = [block(RAW, 0, b"")] * 500
    hand("empty-blocks", frame(0, b"\x38", *empties, raw(hello)), "hello",
         "a flood of empty blocks costs what its bytes cost")  # fmt: skip
    hand("dictionary-0", frame(0x21, b"\x00\x05", raw(hello)), "hello",
         "dictionary id 0 means that none is needed")  # fmt: skip
    hand("two-frames", single * 2, ["hello"] * 2, "frames follow each other")
    unlike = frame(0, b"\x38", raw(b"x")) + single
    hand("frames-of-unlike-kind", unlike, ["one-byte", "hello"],
         "the output cannot be sized from one header")  # fmt: skip
    empty = frame(SINGLE_SEGMENT, b"\x00", raw(b""))
    hand("empty-then-frame", empty + single, "hello", "an empty frame ends nothing")
    hand("empty-frames", empty * 400, "empty", "a flood of empty frames")
    hand("skippable-first", skippable(b"\1\2\3\4") + single, "hello", "skipped, as section 3.1.2")
    hand("skippable-last", single + skippable(b"metadata", 15), "hello", "the last of 16 magics")
    hand("skippable-between", single + skippable(b"") + single, ["hello"] * 2, "one of no bytes")
    hand("skippable-alone", skippable(b"\1\2\3\4"), "empty", "nothing but a skippable frame")
    every = b"".join(skippable(b"!", number) for number in range(16)) * 20
    hand("skippable-flood", every + single, "hello", "all sixteen magics, many times")


def dictionaries(manifest: Manifest) -> None:
    rows = manifest.content("json-rows").splitlines(keepends=True)
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number, row in enumerate(rows):
            files.append(pathlib.Path(folder, f"{number}"))
            files[-1].write_bytes(row)
        dictionary = pathlib.Path(folder, "dictionary")
        train = ["zstd", "-q", "--train", *files, "-o", dictionary, "--dictID=77"]
        subprocess.run([*train, "--maxdict=2048"], check=True, stderr=subprocess.DEVNULL)
        for name, options, expect, why in (
            ("dictionary-77", [], "unsupported", "compressed with a dictionary: the error names 77"),
            ("dictionary-unnamed", ["--no-dictID"], "malformed",
             "compressed with a dictionary that the frame does not name"),
        ):  # fmt: skip
            command = ["zstd", "-q", "-c", "-D", str(dictionary), *options]
            encoded = tools.run(command, rows[0])
            producer = " ".join(["zstd -c -D DICTIONARY", *options])
            manifest.invalid("zstd", name, encoded, expect, why, producer, f"zstd {tools.ZSTD}")
    hello = raw(manifest.content("hello"))
    for flag, field in ((1, b"\x07"), (2, b"\x07\x00"), (3, b"\x07\x00\x00\x80")):
        encoded = frame(SINGLE_SEGMENT | flag, field + b"\x05", hello)
        why = f"a dictionary id in {len(field)} bytes"
        name = f"dictionary-id-{len(field)}-bytes"
        manifest.invalid("zstd", name, encoded, "unsupported", why, "by hand", "RFC 8878")


def invalid_frames(manifest: Manifest) -> None:
    hello = manifest.content("hello")

    def bad(name: str, encoded: bytes, why: str, expect: str = "malformed") -> None:
        manifest.invalid("zstd", name, encoded, expect, why, "by hand", "RFC 8878")

    bad("reserved-bit", frame(SINGLE_SEGMENT | RESERVED, b"\x05", raw(hello)),
        "the reserved bit must be zero", "refused")  # fmt: skip
    bad("reserved-block", frame(0x20, b"\x05", block(RESERVED_BLOCK, 5, hello, True)),
        "block type 3 is reserved")  # fmt: skip
    bad("size-too-large", frame(0x20, b"\xc8", raw(hello)), "declares 200 bytes, holds 5")
    bad("size-too-small", frame(0x20, b"\x03", raw(hello)), "declares 3 bytes, holds 5")
    bad("size-0-holds-5", frame(0x20, b"\x00", raw(hello)), "declares nothing, holds 5")
    bad("size-huge", bytes.fromhex("28b52ffde0ffffffffffffff7f010000"),
        "declares 2^63 bytes: refused without allocation", "error")  # fmt: skip
    bad("size-unknown-value", bytes.fromhex("28b52ffde0ffffffffffffffff010000"),
        "declares 2^64 - 1 bytes, which libraries use for: not known", "error")  # fmt: skip
    declared = frame(0xA0, (1 << 30).to_bytes(4, "little"), block(RLE, KIB, b"x", True))
    bad("size-1g-holds-1k", declared, "declares 1 GiB: both too long and a lie", "error")
    bad("block-too-large", frame(0, b"\x38", block(RLE, 128 * KIB + 1, b"x", True)),
        "a block holds 128 KiB at most")  # fmt: skip
    bad("compressed-block-empty", frame(0, b"\x38", block(COMPRESSED, 0, b"", True)),
        "a compressed block has two bytes at least")  # fmt: skip
    bad("literals-cut", bytes.fromhex("28b52ffd0000000000950000bcf3aea59fe3"),
        "a literals section that is longer than its block")  # fmt: skip
    bad("tree-repeated-without-one", frame(0, b"\x38", block(COMPRESSED, 5, b"\x23\x00\x01\0\0", True)),
        "treeless literals without an earlier tree")  # fmt: skip
    bad("magic-0-7", bytes.fromhex("27b52ffd") + frame(0x20, b"\x05", raw(hello))[4:],
        "the format before 1.0 is not RFC 8878", "refused")  # fmt: skip
    bad("gzip", bytes.fromhex("1f8b0800000000000203cb48cdc9c9070086a6103605000000"),
        "a gzip member is not a zstd frame")  # fmt: skip
    bad("plain-text", b"hello, this is not compressed at all", "not an encoding of anything")
    encoded = bytes.fromhex("28b52ffd24239500006068656c6c6f20776f726c64200100af4b126e2139f2")
    bad("checksum-wrong", encoded, "the checksum does not fit the payload")


def invalid_ends(manifest: Manifest) -> None:
    hello = manifest.content("hello")
    single = frame(SINGLE_SEGMENT, b"\x05", raw(hello))

    def bad(name: str, encoded: bytes, why: str, expect: str = "malformed") -> None:
        manifest.invalid("zstd", name, encoded, expect, why, "by hand", "RFC 8878")

    checked = tools.run(["zstd", "-q", "-c"], hello)
    bad("no-checksum", checked[:-4], "the descriptor promises a checksum and there is none")
    bad("half-checksum", checked[:-2], "the checksum is cut short")
    bad("no-last-block", frame(0, b"\x38", raw(hello, False)), "no block says that it is the last")
    bad("cut", single[:-3], "the block is cut short")
    bad("magic-only", MAGIC, "nothing follows the magic")
    bad("rle-without-byte", frame(0, b"\x38", block(RLE, 9, b"", True)), "nothing to repeat")
    bad("trailing-garbage", single + bytes.fromhex("deadbeef"), "bytes after the end")
    bad("one-zero", single + b"\0", "a single byte after the end")
    bad("trailing-magic", single + MAGIC, "the next frame is cut after its magic")
    bad("second-frame-cut", single + single[:-1], "the second frame is cut short")
    cut = bytes.fromhex("502a4d18ffffff7f01020304")
    bad("skippable-cut", cut, "a skippable frame that declares 2 GB and has 4 bytes")
    bad("skippable-cut-header", cut[:6], "a skippable frame without a whole length")


def bombs(manifest: Manifest) -> None:
    def bomb(name: str, encoded: bytes, why: str, limit: int) -> None:
        manifest.bomb("zstd", name, encoded, why, limit, "by hand", "RFC 8878")

    rle = block(RLE, 128 * KIB, b"\0")
    last = block(RLE, 128 * KIB, b"\0", True)
    bomb("rle-1g", [(frame(0, b"\x38"), 1), (rle, 8191), (last, 1)], "1 GiB in 32 KB of RLE blocks", 4 * MIB)
    three = frame(0, b"\x38", *[rle] * 23, last)
    bomb("rle-3m", three, "3 MiB and no content size: the limit is on what comes out", MIB)
    manifest.valid(
        "zstd", "rle-3m", three, "zeros-3m", "the same within a limit of 4 MiB",
        "by hand", "RFC 8878", limit=4 * MIB,
    )  # fmt: skip
    command = ["zstd", "-q", "FILE", "-o", "OUT"]
    encoded = tools.run_on_file(command, bytes(4 * MIB))
    why = "4 MiB of zeros, as the header says"
    manifest.bomb("zstd", "sized-4m", encoded, why, MIB, " ".join(command), f"zstd {tools.ZSTD}")
    each = frame(0, b"\x38", block(RLE, KIB, b"\0", True))
    bomb("many-frames", each * 65, "each within the limit, all together not", 64 * KIB)
    over = frame(0x60, (5000 - 256).to_bytes(2, "little"), raw(manifest.content("sentence-5000")))
    bomb("one-over", over, "one byte over the limit, as the header says", 4999)
    unsized = frame(0, b"\x38", raw(manifest.content("sentence-5000")))
    bomb("one-over-unsized", unsized, "one byte over the limit, and the header does not say", 4999)
    for name, encoded in (("exactly-the-limit", over), ("exactly-the-limit-unsized", unsized)):
        why = "as long as the limit allows"
        manifest.valid(
            "zstd", name, encoded, "sentence-5000", why, "by hand", "RFC 8878", limit=5000
        )
