#!/usr/bin/env python3
"""Makes seeds/ anew: fuzz/make_seeds.py. README.md says what the bytes mean.

    fuzz/make_seeds.py --all FOLDER   puts every vector into FOLDER/<target>/ instead, to start from
"""
import json
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = HERE.parent / "vectors"
ENCODINGS = ["identity", "gzip", "deflate", "zstd", "lz4", "snappy", "snappy-block"]
# Of each encoding so many of each kind, the shortest first, none beyond the length.
QUOTA = {"payload": 5, "malformed": 3, "refused": 1, "unsupported": 1, "too-long": 2, "error": 1}
MAX_LEN = 300


def vectors():
    for entry in json.loads((VECTORS / "manifest.json").read_text())["vectors"]:
        if "file" in entry:
            encoded = (VECTORS / entry["file"]).read_bytes()
        elif sum(len(part) * count for part, count in entry["parts"]) > 1 << 18:
            continue
        else:
            encoded = b"".join(bytes.fromhex(part) * count for part, count in entry["parts"])
        yield entry, encoded


def case(encoding, encoded, limit_log=20):
    """Encoding, limit, no prefix (identity has but that one), bytes."""
    return bytes([ENCODINGS.index(encoding), limit_log]) + b"\0" * (encoding != "identity") + encoded


def level(encoding, number):
    """Identity is not among these; Snappy has no levels."""
    index = bytes([ENCODINGS.index(encoding) - 1])
    return index if encoding.startswith("snappy") else index + bytes([number + 12])


def payload(unit, times_log=0):
    return bytes([times_log]) + unit if unit else b""


def counted(part):
    return len(part).to_bytes(2, "big") + part


def chosen():
    left = {encoding: dict(QUOTA) for encoding in ENCODINGS}
    for entry, encoded in sorted(vectors(), key=lambda pair: (len(pair[1]), pair[0]["name"])):
        quota = left[entry["encoding"]]
        if len(encoded) <= MAX_LEN and quota[entry["expect"]] > 0:
            quota[entry["expect"]] -= 1
            yield entry, encoded


def main(root, pick):
    seeds = {}
    for entry, encoded in pick:
        name = entry["name"].replace("/", "-")
        limit_log = min((entry["limit"] - 1).bit_length(), 20) if entry["limit"] > 1 else 0
        seeds["decode_stays_within_limit", name] = case(entry["encoding"], encoded, limit_log)
        seeds["decode_agrees_with_others", name] = case(entry["encoding"], encoded)
    # Found by fuzzing: a copy so near the end that it depended on the room whether it was accepted.
    near_end = bytes.fromhex("04224d184040c00700000060") + b"hello " + bytes.fromhex(
        "090000000006005068656c6c6f00000000")
    for target in ["decode_stays_within_limit", "decode_agrees_with_others"]:
        seeds[target, "lz4-copy-near-the-end"] = case("lz4", near_end)
    text = b'{"id":17,"name":"caf\xc3\xa9","tags":["a","b"],"ok":true}\n'
    payloads = {"empty": b"", "byte": payload(b"x"), "text": payload(text),
                "blocks": payload(text, 10), "zeros": payload(b"\0", 10),
                "noise": payload(bytes(n * 97 % 251 for n in range(251)))}
    numbers = {"gzip": 1, "deflate": 6, "zstd": 3, "lz4": 1, "snappy": 0, "snappy-block": 0}
    case_of = {}
    for entry, encoded in pick:
        if entry["expect"] == "payload":
            case_of[entry["encoding"]] = case(entry["encoding"], encoded)
    for encoding, number in numbers.items():
        start = level(encoding, number)
        for name in payloads:
            seeds["roundtrip", f"{encoding}-{name}"] = start + payloads[name]
        pair = [payloads["text"], payloads["noise"]]
        lengths = b"".join(len(part).to_bytes(2, "big") for part in pair)
        seeds["decode_gives_the_whole_content", encoding] = (
            start + lengths + b"".join(pair) + case_of.get(encoding, b""))
        seeds["reuse_is_invisible", encoding] = start + b"".join(map(counted, payloads.values()))
    seeds["roundtrip", "zstd-dense"] = level("zstd", 12) + payloads["blocks"]
    seeds["roundtrip", "lz4-dense"] = level("lz4", 12) + payloads["blocks"]
    for index, text in enumerate(["zstd:3", "SNAPPY-BLOCK", "gzip:+1", "lz4:-8", "zstd:-131072",
                                  "zstd:99999999999", "gzip:", ":", "identity:0", "\u017ftd", " gzip"]):
        seeds["parse_tokens", f"{index:02}"] = text.encode()
    for (target, name), content in seeds.items():
        folder = root / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--all"]:
        main(pathlib.Path(sys.argv[2]), list(vectors()))
    else:
        shutil.rmtree(HERE / "seeds", ignore_errors=True)
        main(HERE / "seeds", list(chosen()))
