"""The payloads. All are generated here from fixed seeds; none came from elsewhere."""

import json
import random

from .manifest import KIB, MIB, Manifest


def add(manifest: Manifest) -> None:
    def repeat(name: str, unit: bytes, length: int) -> None:
        content = (unit * (length // len(unit) + 1))[:length]
        manifest.payload(name, content, {"repeat": unit.hex()})

    def noise(name: str, seed: int, length: int) -> None:
        manifest.payload(name, splitmix64(seed, length), {"random": seed})

    repeat("empty", b"-", 0)
    repeat("one-byte", b"x", 1)
    repeat("hello", b"hello", 5)
    repeat("hello-times-four", b"hello ", 23)
    repeat("zeros-64k", b"\0", 64 * KIB)
    repeat("zeros-3m", b"\0", 3 * MIB)
    repeat("zeros-65", b"\0", 65)
    repeat("nine-digits", b"123456789", 9 * KIB)
    repeat("sentence-64k-less-1", b"The same sentence, over and over. ", 64 * KIB - 1)
    repeat("sentence-64k-plus-1", b"The same sentence, over and over. ", 64 * KIB + 1)
    repeat("sentence-128k-plus-1", b"The same sentence, over and over. ", 128 * KIB + 1)
    repeat("sentence-5000", b"The same sentence, over and over. ", 5000)
    noise("random-4k", 1, 4 * KIB)
    noise("random-first-60", 1, 60)
    noise("random-first-4", 1, 4)
    noise("random-64k-plus-1", 2, 64 * KIB + 1)
    manifest.payload("json-small", json_rows(3, 1))
    manifest.payload("json-rows", json_rows(4, 480))
    manifest.payload("log-lines", log_lines(5, 1290))
    manifest.payload("protobuf-like", protobuf_like(6, 120))
    manifest.payload("utf8-mixed", utf8_mixed(7, 500))


def splitmix64(seed: int, length: int) -> bytes:
    """https://prng.di.unimi.it/splitmix64.c, little-endian; the tests generate the same."""
    mask = (1 << 64) - 1
    out = bytearray()
    while len(out) < length:
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        z = seed
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & mask
        out += (z ^ (z >> 31)).to_bytes(8, "little")
    return bytes(out[:length])


def json_rows(seed: int, count: int) -> bytes:
    rng = random.Random(seed)
    rows = [
        {
            "id": f"{rng.getrandbits(32):08x}",
            "time": 1_714_500_000 + row,
            "user": rng.choice(["ada", "grace", "linus", "barbara", "ken"]),
            "action": rng.choice(["view", "view", "view", "click", "buy"]),
            "price": rng.randrange(1, 9999) / 100,
            "country": rng.choice(["NO", "DE", "JP", "BR"]),
            "tags": ["mobile", "beta"][: rng.randrange(3)],
            "ok": True,
        }
        for row in range(count)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def log_lines(seed: int, count: int) -> bytes:
    rng = random.Random(seed)
    return "".join(
        f"2024-05-01T12:{line // 60 % 60:02}:{line % 60:02}Z INFO "
        f"{rng.choice(['web', 'db', 'mail'])}: request done in {rng.randrange(9)} ms\n"
        for line in range(count)
    ).encode()


def protobuf_like(seed: int, count: int) -> bytes:
    rng = random.Random(seed)
    out = bytearray()
    for _ in range(count):
        name = rng.choice([b"http_requests_total", b"process_cpu_seconds", b"up"])
        inner = b"\x0a" + bytes([len(name)]) + name
        inner += b"\x11" + rng.getrandbits(16).to_bytes(8, "little")
        inner += b"\x18" + bytes([0x80 | rng.getrandbits(7), 0x80 | rng.getrandbits(7), 1])
        out += b"\x0a" + bytes([len(inner)]) + inner
    return bytes(out)


def utf8_mixed(seed: int, count: int) -> bytes:
    rng = random.Random(seed)
    words = ["plain", "größer", "сообщение", "メッセージ", "μήνυμα", "🦀", "رسالة", "\0", "\n"]
    return " ".join(rng.choice(words) for _ in range(count)).encode()
