"""RFC 1950: two header bytes divisible by 31, a deflate stream, Adler-32 with the high byte first."""

import zlib

from . import tools
from .gzip import raw_deflate
from .manifest import MIB, Manifest


def stream(payload: bytes, cmf: int = 0x78, flg: int = 0x9C, extra: bytes = b"") -> bytes:
    adler = zlib.adler32(payload).to_bytes(4, "big")
    return bytes([cmf, flg]) + extra + raw_deflate(payload) + adler


def add(manifest: Manifest) -> None:
    valid(manifest)
    invalid(manifest)
    bombs(manifest)


def valid(manifest: Manifest) -> None:
    def tool(name: str, level: int, payload: str, why: str, wbits: int = 15) -> None:
        compressor = zlib.compressobj(level, zlib.DEFLATED, wbits)
        encoded = compressor.compress(manifest.content(payload)) + compressor.flush()
        producer = f"zlib.compressobj level {level} window {wbits}"
        manifest.valid("deflate", name, encoded, payload, why, producer, tools.ZLIB)

    tool("level-0", 0, "random-64k-plus-1", "stored blocks only, two of them")
    tool("level-1", 1, "json-rows", "the quickest level")
    tool("level-6", 6, "json-rows", "the default level")
    tool("level-9", 9, "log-lines", "the best level, several blocks")
    tool("window-512", 9, "json-rows", "a window of 512 bytes, the smallest zlib writes", 9)
    tool("empty", 6, "empty", "an empty payload still has a header and a checksum")
    tool("one-byte", 6, "one-byte", "the shortest payload that is not empty")
    tool("zeros", 9, "zeros-64k", "matches of the greatest length, 258")
    tool("nine-digits", 6, "nine-digits", "the workload that other libraries publish numbers for")
    manifest.valid(
        "deflate", "window-256", stream(manifest.content("hello"), 0x08, 0x1D), "hello",
        "the smallest window that the header can name", "by hand", "RFC 1950",
    )  # fmt: skip


def invalid(manifest: Manifest) -> None:
    hello = manifest.content("hello")
    good = stream(hello)

    def bad(name: str, encoded: bytes, why: str, expect: str = "malformed") -> None:
        manifest.invalid("deflate", name, encoded, expect, why, "by hand", "RFC 1950")

    with_dictionary = zlib.compressobj(zdict=b"hello from a dictionary")
    encoded = with_dictionary.compress(hello) + with_dictionary.flush()
    manifest.invalid(
        "deflate", "dictionary", encoded, "unsupported",
        "FDICT: the payload cannot be had without that dictionary",
        "zlib.compressobj with zdict", tools.ZLIB,
    )  # fmt: skip
    bad("adler-wrong", good[:-1] + bytes([good[-1] ^ 1]), "the checksum does not fit the payload")
    bad("header-check", stream(hello, 0x78, 0x9D), "the header is not divisible by 31")
    bad("method-7", stream(hello, 0x77, 0x85), "only method 8 is defined", "refused")
    bad("window-too-large", stream(hello, 0x88, 0x1C), "a window over 32 KiB is not allowed",
        "refused")  # fmt: skip
    bad("raw-stream", bytes.fromhex("cb48cdc9c957c8409000"),
        "RFC 9110 and gRPC mean zlib by deflate: the bare stream is not it")  # fmt: skip
    bad("gzip", bytes.fromhex("1f8b0800000000000203cb48cdc9c9070086a6103605000000"),
        "a gzip member is not a zlib stream")  # fmt: skip
    bad("trailing-garbage", good + bytes.fromhex("deadbeef"), "bytes after the checksum")
    bad("one-zero", good + b"\0", "a single byte after the checksum")
    bad("two-streams", good + good, "unlike gzip members, zlib streams do not follow each other")
    bad("no-checksum", good[:-4], "the checksum is missing")
    bad("half-checksum", good[:-2], "the checksum is cut short")
    bad("header-only", good[:2], "nothing follows the header")
    bad("plain-text", b"hello, this is not compressed at all", "not an encoding of anything")


def bombs(manifest: Manifest) -> None:
    encoded = stream(bytes(4 * MIB))
    why = "4 MiB of zeros in 4 KB: the limit holds for deflate as for the rest"
    manifest.bomb("deflate", "zeros-4m", encoded, why, MIB, "by hand", "RFC 1950")
    stored = zlib.compress(manifest.content("random-4k"), 0)
    why = "what is stored counts as well"
    manifest.bomb("deflate", "stored", stored, why, 4095, "zlib.compress level 0", tools.ZLIB)
    over = stream(manifest.content("sentence-5000"))
    why = "one byte over the limit"
    manifest.bomb("deflate", "one-over", over, why, 4999, "by hand", "RFC 1950")
    manifest.valid(
        "deflate", "exactly-the-limit", over, "sentence-5000", "as long as the limit allows",
        "by hand", "RFC 1950", limit=5000,
    )  # fmt: skip
