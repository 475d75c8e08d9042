#!/usr/bin/env python3
"""Reads every vector with the reference tools and prints where they say something else.

    /tmp/venv/bin/python vectors/judge.py

The README explains each line that this prints. Snappy blocks are judged by google/snappy too, where
libsnappy.so.1 is installed.
"""

import ctypes
import json
import pathlib
import subprocess
import sys
import zlib

import cramjam

sys.dont_write_bytecode = True

from makers.payloads import splitmix64  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent
# 1 GiB of zeros: its length is not in doubt.
TOO_LARGE_TO_TRY = {"bombs/zstd/rle-1g"}


class Refused(Exception):
    pass


def tool(*command: str):
    def decode(encoded: bytes) -> bytes:
        done = subprocess.run(command, input=encoded, capture_output=True)
        if done.returncode:
            raise Refused(done.stderr.decode(errors="replace").strip()[-80:])
        return done.stdout

    return decode


def zlib_stream(encoded: bytes) -> bytes:
    decompressor = zlib.decompressobj()
    payload = decompressor.decompress(encoded)
    if not decompressor.eof or decompressor.unused_data:
        raise Refused("no end, or bytes after it")
    return payload


def libsnappy():
    library = ctypes.CDLL("libsnappy.so.1")

    def decode(encoded: bytes) -> bytes:
        size, length = ctypes.c_size_t(len(encoded)), ctypes.c_size_t()
        if library.snappy_uncompressed_length(encoded, size, ctypes.byref(length)):
            raise Refused("no length")
        if length.value > 1 << 24:
            raise Refused("claims more than is to be tried")
        out = ctypes.create_string_buffer(length.value + 1)
        if library.snappy_uncompress(encoded, size, out, ctypes.byref(length)):
            raise Refused("not a block")
        return out.raw[: length.value]

    return decode


def judges() -> dict:
    judges = {
        "gzip": {"gzip": tool("gzip", "-dc")},
        "deflate": {"zlib": zlib_stream},
        "zstd": {"zstd": tool("zstd", "-dcq", "--memory=512MB")},
        "lz4": {"lz4": tool("lz4", "-dcq")},
        "snappy": {"cramjam": cramjam.snappy.decompress},
        "snappy-block": {"cramjam": cramjam.snappy.decompress_raw},
    }
    try:
        judges["snappy-block"]["google/snappy"] = libsnappy()
    except OSError:
        print("without libsnappy: cramjam alone judges Snappy blocks")
    return judges


def content(payload: dict) -> bytes:
    length = payload["len"]
    if "file" in payload:
        return (ROOT / payload["file"]).read_bytes()
    if "repeat" in payload:
        unit = bytes.fromhex(payload["repeat"])
        return (unit * (length // len(unit) + 1))[:length]
    return splitmix64(payload["random"], length)


def main() -> None:
    manifest = json.loads((ROOT / "manifest.json").read_text())
    payloads = {name: content(payload) for name, payload in manifest["payloads"].items()}
    tools = judges()
    for vector in manifest["vectors"]:
        if vector["name"] in TOO_LARGE_TO_TRY:
            continue
        if "file" in vector:
            encoded = (ROOT / vector["file"]).read_bytes()
        else:
            encoded = b"".join(bytes.fromhex(part) * count for part, count in vector["parts"])
        expected = b"".join(payloads[name] for name in vector.get("payload", []))
        for judge, decode in tools[vector["encoding"]].items():
            try:
                payload = bytes(decode(encoded))
            except (Refused, zlib.error, cramjam.DecompressionError):
                payload = None
            if said_otherwise(vector, expected, payload):
                answer = "refuses" if payload is None else f"gives {len(payload)} bytes"
                print(f"{vector['name']}: {judge} {answer}; expected is {vector['expect']}")


def said_otherwise(vector: dict, expected: bytes, payload: bytes | None) -> bool:
    if vector["expect"] == "payload":
        return payload != expected
    if vector["expect"] == "too-long":
        # A tool that refuses a claim has no limit to compare it with.
        return payload is not None and len(payload) <= vector["limit"]
    return payload is not None


if __name__ == "__main__":
    main()
