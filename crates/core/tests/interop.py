"""Reads what Thinwire wrote, and writes for Thinwire to read. Called by interop.rs.

FOLDER/payloads/N             what it is about
FOLDER/ours/ENCODING/LEVEL/N  to be read here
FOLDER/theirs/ENCODING/HOW/N  written here

Ends with 77 when a tool is missing, and with 1 when one disagrees. Without a folder it looks for the
tools only.
"""

import ctypes
import os
import pathlib
import shutil
import subprocess
import sys
import zlib

MISSING = 77


def main(folder: pathlib.Path | None) -> None:
    missing = [tool for tool in ("gzip", "zstd", "lz4") if shutil.which(tool) is None]
    try:
        import cramjam
    except ImportError:
        missing.append("cramjam (a Python package)")
    if missing:
        print("missing:", ", ".join(missing))
        sys.exit(MISSING)
    if not folder:
        return
    payloads = read(folder / "payloads")
    libsnappy = Libsnappy.load()
    check(folder / "ours", payloads, cramjam, libsnappy)
    write(folder / "theirs", folder / "payloads", payloads, cramjam, libsnappy)


def read(folder: pathlib.Path) -> dict[str, bytes]:
    names = sorted((file.name for file in folder.iterdir()), key=int)
    return {name: (folder / name).read_bytes() for name in names}


def check(ours: pathlib.Path, payloads: dict[str, bytes], cramjam, libsnappy) -> None:
    one_by_one = {
        "gzip": [lambda encoded: inflate(encoded, 31)],
        "deflate": [lambda encoded: inflate(encoded, 15)],
        "snappy": [lambda encoded: bytes(cramjam.snappy.decompress(encoded))],
        "snappy-block": [lambda encoded: bytes(cramjam.snappy.decompress_raw(encoded))],
    }
    if libsnappy:
        one_by_one["snappy-block"].append(libsnappy.decompress)
    # All in one go: as units that follow each other.
    joined = {"gzip": ["gzip", "-dc"], "zstd": ["zstd", "-dcq"], "lz4": ["lz4", "-dcq"]}
    for encoding in ("gzip", "deflate", "zstd", "lz4", "snappy", "snappy-block"):
        levels = sorted((ours / encoding).iterdir())
        for level in levels:
            encoded = read(level)
            for decode in one_by_one.get(encoding, []):
                for name, payload in payloads.items():
                    agree(decode(encoded[name]) == payload, f"{level.name}, payload {name}")
            if encoding in joined:
                tool = joined[encoding]
                content = b"".join(encoded.values())
                decoded = pipe(tool, content)
                agree(decoded == b"".join(payloads.values()), f"{level.name}, {tool}")
        judges = len(one_by_one.get(encoding, [])) + (encoding in joined)
        print(f"{encoding}: {len(levels)} levels, {len(payloads)} payloads, {judges} judges")


def pipe(command: list[str], content: bytes) -> bytes:
    return subprocess.run(command, input=content, stdout=subprocess.PIPE, check=True).stdout


def agree(same: bool, what: str) -> None:
    if not same:
        sys.exit(f"{what}: not the payload")


def inflate(encoded: bytes, window: int) -> bytes:
    decompressor = zlib.decompressobj(window)
    payload = decompressor.decompress(encoded)
    agree(decompressor.eof and not decompressor.unused_data, "zlib: the end")
    return payload


def write(theirs, files, payloads: dict[str, bytes], cramjam, libsnappy) -> None:
    def put(encoding: str, how: str, encode, some=payloads) -> None:
        place = theirs / encoding / how
        place.mkdir(parents=True)
        for name, payload in some.items():
            (place / name).write_bytes(bytes(encode(payload)))

    def run(encoding: str, how: str, suffix: str, command: list[str]) -> None:
        """The tool makes N.suffix of every N."""
        place = theirs / encoding / how
        shutil.copytree(files, place)
        subprocess.run([*command, *payloads], cwd=place, check=True, stderr=subprocess.DEVNULL)
        for name in payloads:
            encoded = place / f"{name}.{suffix}"
            if encoded.exists():
                encoded.replace(place / name)
            else:
                sys.exit(f"{command} did not write {encoded}")

    for level in (1, 6, 9):
        run("gzip", f"tool-{level}", "gz", ["gzip", "-f", f"-{level}"])
    for level in range(10):
        put("deflate", f"zlib-{level}", lambda payload, level=level: zlib.compress(payload, level))
    for options in (["--fast=5"], ["-1"], ["-3"], ["-9"], ["-19"], ["--ultra", "-22"], ["--no-check"]):
        run("zstd", "tool" + "".join(options), "zst", ["zstd", "-q", "-f", *options])
    for options in ([], ["-9"], ["-12"], ["-BX"], ["--content-size"]):
        command = ["lz4", "-q", "-f", "-m", *options]
        run("lz4", "tool" + "".join(options), "lz4", command)
    # Not for 65535 bytes, on which lz4 1.9.4 gives up with blocks of 65536.
    some = {name: payload for name, payload in payloads.items() if len(payload) != 65535}
    for options in (["-B4"], ["-B4", "-BD"], ["-B4", "-BX", "-BD"]):
        command = ["lz4", "-q", "-c", *options]
        put("lz4", "pipe" + "".join(options), lambda payload, command=command: pipe(command, payload), some)
    put("snappy", "cramjam", cramjam.snappy.compress)
    put("snappy-block", "cramjam", cramjam.snappy.compress_raw)
    if libsnappy:
        put("snappy-block", "libsnappy", libsnappy.compress)


class Libsnappy:
    """google/snappy by its C interface."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.library = library
        library.snappy_max_compressed_length.restype = ctypes.c_size_t

    @staticmethod
    def load():
        try:
            return Libsnappy(ctypes.CDLL("libsnappy.so.1"))
        except OSError:
            if "CI" in os.environ:
                sys.exit("in CI nothing may be missing: libsnappy.so.1")
            print("skipped: libsnappy, which is missing; cramjam alone judges Snappy blocks")
            return None

    def decompress(self, encoded: bytes) -> bytes:
        length = ctypes.c_size_t()
        size = ctypes.c_size_t(len(encoded))
        if self.library.snappy_uncompressed_length(encoded, size, ctypes.byref(length)):
            sys.exit("libsnappy: no length")
        return self._call(self.library.snappy_uncompress, encoded, length)

    def compress(self, payload: bytes) -> bytes:
        bound = self.library.snappy_max_compressed_length(ctypes.c_size_t(len(payload)))
        return self._call(self.library.snappy_compress, payload, ctypes.c_size_t(bound))

    @staticmethod
    def _call(function, source: bytes, length: ctypes.c_size_t) -> bytes:
        out = ctypes.create_string_buffer(length.value + 1)
        if function(source, ctypes.c_size_t(len(source)), out, ctypes.byref(length)):
            sys.exit(f"libsnappy: {function.__name__} failed")
        return out.raw[: length.value]


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) if sys.argv[1:] else None)
