#!/usr/bin/env python3
"""Makes every file of this folder but `regressions/` anew, and the manifest.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install cramjam
    /tmp/venv/bin/python vectors/make.py

Needs the `gzip`, `zstd` and `lz4` command line tools. Run it by hand when a vector is added; the
tests read what is committed. Another version of a tool may write other bytes: they must decode to
the same payloads, and the manifest says which version wrote them.
"""

import pathlib
import shutil
import sys

sys.dont_write_bytecode = True

from makers import deflate, gzip, lz4, payloads, snappy_block, snappy_framed, zstd  # noqa: E402
from makers.manifest import Manifest  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent


def main() -> None:
    for folder in ("payloads", "valid", "invalid", "bombs"):
        shutil.rmtree(ROOT / folder, ignore_errors=True)
    manifest = Manifest(ROOT)
    payloads.add(manifest)
    for maker in (gzip, deflate, zstd, lz4, snappy_framed, snappy_block):
        maker.add(manifest)
    manifest.add_regressions()
    manifest.write()


if __name__ == "__main__":
    main()
