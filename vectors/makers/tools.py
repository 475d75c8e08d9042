"""The reference tools, and what versions they are."""

import importlib.metadata
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib


def run(command: list[str], content: bytes) -> bytes:
    """Through pipes, so that the tool does not know the length beforehand."""
    return subprocess.run(command, input=content, stdout=subprocess.PIPE, check=True).stdout


def run_on_file(command: list[str], content: bytes) -> bytes:
    """From a file, so that the tool knows the length; FILE and OUT are put in."""
    with tempfile.TemporaryDirectory() as folder:
        file, out = pathlib.Path(folder, "payload"), pathlib.Path(folder, "out")
        file.write_bytes(content)
        places = {"FILE": str(file), "OUT": str(out)}
        words = [places.get(word, word) for word in command]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return out.read_bytes()


def _version(command: list[str]) -> str:
    text = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    return re.search(r"v?(\d+\.[\d.]*\d)", text).group(1)


GZIP = _version(["gzip", "--version"])
ZSTD = _version(["zstd", "--version"])
LZ4 = _version(["lz4", "--version"])
CRAMJAM = importlib.metadata.version("cramjam")
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
ZLIB = f"Python {PYTHON}, zlib {zlib.ZLIB_RUNTIME_VERSION}"
