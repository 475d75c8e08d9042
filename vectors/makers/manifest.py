"""Collects payloads and vectors, writes their files and `manifest.json`."""

import json
import pathlib

from .checksums import crc32c

KIB = 1024
MIB = 1024 * 1024
# Roomy for every payload here, small enough that a test run notices a runaway.
LIMIT = 4 * MIB


class Manifest:
    def __init__(self, root: pathlib.Path) -> None:
        self.root = root
        self.bytes: dict[str, bytes] = {}
        self.payloads: dict[str, dict] = {}
        self.vectors: list[dict] = []

    def payload(self, name: str, content: bytes, source: dict | None = None) -> None:
        """Stored as a file, unless `source` says how to generate it."""
        if source is None:
            source = {"file": f"payloads/{name}"}
            self._store(source["file"], content)
        self.bytes[name] = content
        checks = {"len": len(content), "crc32c": f"{crc32c(content):08x}"}
        self.payloads[name] = source | checks

    def content(self, *names: str) -> bytes:
        return b"".join(self.bytes[name] for name in names)

    def valid(self, encoding, name, encoded, payload, why, producer, version, limit=LIMIT):
        names = [payload] if isinstance(payload, str) else list(payload)
        self._add("valid", encoding, name, encoded, "payload", why, producer, version, limit, names)

    def invalid(self, encoding, name, encoded, expect, why, producer=None, version=None):
        """`expect` is "malformed", "unsupported", or "refused" where either of them is right."""
        self._add("invalid", encoding, name, encoded, expect, why, producer, version, LIMIT, None)

    def bomb(self, encoding, name, encoded, why, limit, producer=None, version=None):
        """Must be refused for its length."""
        self._add("bombs", encoding, name, encoded, "too-long", why, producer, version, limit, None)

    def _add(
        self, folder, encoding, name, encoded, expect, why, producer, version, limit, payload
    ):
        name = f"{folder}/{encoding}/{name}"
        if any(vector["name"] == name for vector in self.vectors):
            raise SystemExit(f"{name} is there twice")
        if isinstance(encoded, bytes):
            source = {"file": f"{name}.bin"}
            self._store(source["file"], encoded)
        else:
            # Long and dull: not worth a file.
            source = {"parts": [[part.hex(), count] for part, count in encoded]}
        entry = {"name": name} | source | {
            "encoding": encoding,
            "expect": expect,
            "why": why,
            "producer": producer or "by hand",
            "version": version or "from the specification",
            "limit": limit,
        }
        if payload is not None:
            entry["payload"] = payload
        self.vectors.append(entry)

    def add_regressions(self) -> None:
        """Entries for `regressions/` are written by hand, beside the bytes."""
        listed = self.root / "regressions" / "entries.json"
        if listed.exists():
            self.vectors += json.loads(listed.read_text())

    def write(self) -> None:
        whole = {"payloads": self.payloads, "vectors": self.vectors}
        text = json.dumps(whole, indent=1, ensure_ascii=False)
        (self.root / "manifest.json").write_text(text + "\n")
        size = sum(file.stat().st_size for file in self.root.rglob("*") if file.is_file())
        print(f"{len(self.vectors)} vectors, {len(self.payloads)} payloads, {size} bytes in all")
        if size >= MIB:
            raise SystemExit("the folder should stay under 1 MiB")

    def _store(self, file: str, content: bytes) -> None:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
