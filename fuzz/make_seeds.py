#!/usr/bin/env python3
"""Makes seeds/ anew: fuzz/make_seeds.py. README.md says what the bytes mean. Files whose names begin
with "found-" were found by fuzzing and stay.

    fuzz/make_seeds.py --all FOLDER   puts every vector into FOLDER/<target>/ instead, to start from
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = HERE.parent / "vectors"
ENCODINGS = ["identity", "gzip", "deflate", "zstd", "lz4", "snappy", "snappy-block"]
# As in crates/testkit/src/grpc/input.rs.
NAMES = ["content-type", "grpc-encoding", "grpc-accept-encoding", "grpc-status", "content-length",
         "grpc-message", "te", "x-other"]
VALUES = [b"application/grpc", b"application/grpc+proto", b"application/grpc-web", b"text/html",
          b"identity", b"gzip", b"deflate", b"zstd", b"lz4", b"snappy", b"snappy-block", b"GZip",
          b" zstd\t", b"br", b"gzip, gzip", b"gzip,,snappy-block , identity",
          b"snappy,lz4,zstd,deflate,gzip,snappy-block", b"0", b"12", b"5", b"trailers", b"", b",", b"7"]
# Of each encoding so many of each kind, the shortest first, none beyond the length.
QUOTA = {"payload": 5, "malformed": 3, "refused": 1, "unsupported": 1, "too-long": 2, "error": 1}
MAX_LEN = 300
FOUND = "found-"


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


def grpc_seeds():
    """Calls; what the bytes mean is in crates/testkit/src/grpc/input.rs."""
    all_encodings, plain = bytes([0x7f]), bytes([8])
    def settings(encoders=all_encodings, accepted=all_encodings, limit_log=12, asked=plain):
        return encoders + accepted + bytes([limit_log]) + asked
    def head(*lines, grpc=True):
        return bytes([len(lines) | 0x80 * (not grpc)]) + b"".join(
            bytes([NAMES.index(name)]) + (bytes([VALUES.index(value)]) if value in VALUES else
                                          bytes([len(VALUES) + len(value)]) + value)
            for name, value in lines)
    def part(unit=b"said again and ", times_log=4):
        return bytes([len(unit), times_log]) + unit
    def body(*events):
        return b"".join(events)
    def call(setup, request_head, answer_head, request=(), answer=(), flags=0, status=0):
        return (setup + bytes([flags, status]) + request_head + answer_head
                + bytes([len(request)]) + body(*request) + body(*answer))
    raw, empty, one = b"\0" + part(), b"\0" + part(b"", 0), b"\0" + part(b"x", 0)
    noise = b"\0" + part(b"seed", 0x80 + 11)
    long, over = b"\0" + part(b"0123456789abcdef", 8), b"\0" + part(b"too long", 11)
    cut, pending, error = b"\x06" + part(b"\0\0\0\0\x09part", 0), b"\x09", b"\x08"
    over_wire = b"\x06" + part(b"\0\xff\xff\xff\xff", 0)
    flag_2, flag_1 = b"\x05\x02" + part(b"?", 0), b"\x05\x01" + part(b"?", 0)
    def trailers(value=b"0"):
        return b"\x07\x01" + bytes([NAMES.index("grpc-status"), VALUES.index(value)])
    seeds = {}
    for index, encoding in enumerate(ENCODINGS):
        name = encoding.encode()
        packed, bomb = (bytes([2, index]) + it[1:] for it in (raw, over))
        damaged = bytes([4, index, 0][:2 + (encoding != "identity")]) + part(b"damaged", 0)
        heads = (head(("grpc-encoding", name), ("grpc-accept-encoding", name)),
                 head(("grpc-encoding", name)))
        good = [raw, packed, empty, long, packed]
        for kind, rest in {"good": [], "bad": [damaged, raw], "bomb": [bomb, raw],
                           "cut": [packed, cut], "flag": [flag_2]}.items():
            for target, prefix in [("grpc_any_split", b"\1\0\5\x40"), ("grpc_hostile_peer", b"")]:
                events = good + rest
                seeds[target, f"{encoding}-{kind}"] = prefix + call(
                    settings(), *heads, events, events + [trailers()])
        fits, over_by_one = (bytes([2, index]) + part(b"seventeen letters"[:len], 0) for len in [16, 17])
        kinds = {"over-by-one": [b"\0" + fits[2:], fits, over_by_one]}
        if encoding in ["identity", "gzip"]: # as all the others
            kinds |= {"raw-over-by-one": [b"\0" + over_by_one[2:]], "prefix-over": [fits, over_wire, error]}
        for kind, events in kinds.items():
            seeds["grpc_hostile_peer", f"{encoding}-{kind}"] = call(
                settings(limit_log=4), *heads, events, events + [trailers()])
        only = bytes([1 << index])
        seeds["grpc_headers", f"{encoding}-spoken"] = call(
            settings(only, only), *heads, [raw, packed], [packed, trailers()])
        seeds["grpc_headers", f"{encoding}-refused"] = call(
            settings(b"\x7e", b"\0"), *heads, [raw], [trailers()])
        seeds["grpc_headers", f"{encoding}-asked"] = call(
            settings(b"\x2c", only, asked=bytes([index])), head(("grpc-accept-encoding", name)),
            head(), [raw], [raw, trailers()])
    for name, line in {"list": b"gzip,,snappy-block , identity", "all": VALUES[16], "case": b"GZip",
                       "blank": b" zstd\t", "no-text": b"\xff\xfe,lz4,\x80", "empty": b"",
                       "two": b"gzip, gzip", "unknown": b"br"}.items():
        lines = [("grpc-encoding", line), ("grpc-accept-encoding", line), ("grpc-accept-encoding", b"lz4")]
        seeds["grpc_headers", f"line-{name}"] = call(
            settings(), head(*lines), head(*lines), [raw, raw], [raw, flag_1, trailers()])
    for name in [b"br", b"gzip"]:
        lines = [("grpc-encoding", b""), ("grpc-encoding", name)]
        seeds["grpc_headers", f"empty-then-{name.decode()}"] = call(
            settings(), head(*lines), head(*lines), [raw], [raw, flag_1, trailers()])
    html = head(("content-type", b"text/html"))
    seeds["grpc_headers", "web-page"] = call(settings(), head(), html, [raw], [raw])
    seeds["grpc_headers", "web-page-404"] = call(settings(), head(), html, [raw], [raw], status=3)
    seeds["grpc_headers", "web-request"] = call(settings(), html, html, [raw], [raw])
    seeds["grpc_headers", "no-type"] = call(settings(), head(grpc=False), head(grpc=False), [raw], [raw])
    refused = head(("grpc-status", b"12"), ("grpc-accept-encoding", b"identity"))
    for kind, request in {"one": [raw], "long": [noise], "several": [raw, raw], "cut": [cut], "none": []}.items():
        seeds["grpc_headers", f"fallback-{kind}"] = call(
            settings(asked=bytes([24])), head(), refused, request)
        seeds["grpc_headers", f"fallback-{kind}-stops"] = call(
            settings(asked=bytes([24])), head(), refused, request, flags=2)
    seeds["grpc_hostile_peer", "pending"] = call(
        settings(), head(), head(), [pending, raw, pending], [pending, raw, pending, trailers(), pending])
    seeds["grpc_hostile_peer", "compressed-by-the-application"] = call(
        settings(), head(("grpc-accept-encoding", b"gzip")), head(), [raw, b"\5\1" + raw[1:], flag_2],
        [raw, b"\5\1" + raw[1:], flag_2, trailers()])
    for target, prefix in [("grpc_any_split", b"\1\0\xff\xfe"), ("grpc_hostile_peer", b"")]:
        events = [raw, b"\2\5" + noise[1:], b"\2\3" + long[1:], long, over, noise, raw]
        for encoding in [b"zstd", b"snappy"]:
            heads = head(("grpc-encoding", encoding), ("grpc-accept-encoding", b"lz4"))
            seeds[target, f"{encoding.decode()}-put-aside"] = prefix + call(
                settings(limit_log=15, asked=bytes([8 + (4 << 5)])), heads, heads, events,
                events + [trailers()])
    seeds["grpc_hostile_peer", "breaks-off"] = call(
        settings(), head(), head(), [raw, cut, error], [raw, cut, error])
    seeds["grpc_hostile_peer", "peers-error"] = call(
        settings(), head(), head(), [raw], [raw, cut, trailers(b"5")])
    seeds["grpc_hostile_peer", "over-wire"] = call(
        settings(), head(), head(), [raw, over_wire], [raw, over_wire, trailers()])
    seeds["grpc_hostile_peer", "behind-a-status"] = call(
        settings(), head(), head(("grpc-status", b"0"), ("grpc-encoding", b"gzip")), [raw], [raw, over])
    seeds["grpc_hostile_peer", "behind-the-end"] = call(
        settings(), head(), head(), [raw, error, raw], [raw, trailers(), over, trailers()])
    seeds["grpc_hostile_peer", "no-trailers"] = call(
        settings(), head(), head(), [one], [one, cut], flags=1)
    return seeds


def snappy_block(elements):
    """A block of literals, and of copies: pairs of an offset, which gets 32 bits above 65535, and a length."""
    body, size = b"", 0
    for element in elements:
        if isinstance(element, bytes):
            body += bytes([(len(element) - 1) << 2]) + element
            size += len(element)
        else:
            offset, count = element
            width = 2 if offset < 1 << 16 else 4
            body += bytes([(count - 1) << 2 | (2 if width == 2 else 3)]) + offset.to_bytes(width, "little")
            size += count
    header = b""
    while size >= 0x80:
        header += bytes([size & 0x7f | 0x80])
        size >>= 7
    return header + bytes([size]) + body


def snappy_seeds(pick, text):
    """What they begin with: for blocks how much more room than needed; how often a payload is repeated."""
    seeds = {}
    for entry, encoded in pick:
        if entry["encoding"] == "snappy-block":
            seeds["snappy_decompress", entry["name"].replace("/", "-")] = b"\x40" + encoded
    # As the damaged blocks of google/snappy's corpus are: in the middle of a text, a copy from further
    # back than there is. One block of each is long enough for the loop of long blocks.
    for offset in [0x7463_6172, 127_665, 0x815e_2056]:
        for lines in [4, 60]:
            elements = []
            for number in range(lines):
                elements.append(b'{"id":%d,"time":' % (number * 7919))
                elements.append(b'"now","ok":true}\n' if number == 0 else (23 + number % 9, 12))
            elements[lines:lines] = [(offset, 28)]
            seeds["snappy_decompress", f"damaged-{offset:x}-{lines}"] = b"\x40" + snappy_block(elements)
    noise = bytes(n * 97 % 251 for n in range(251))
    for name, times, unit in [
            ("empty", 0, b""), ("byte", 0, b"x"), ("text", 0, text), ("text-repeated", 255, text),
            ("zeros", 60, b"\0"), ("blocks-of-zeros", 255, bytes(600)), ("noise", 0, noise),
            ("noise-repeated", 2, noise), ("nine-digits", 150, b"123456789")]:
        seeds["snappy_roundtrip", name] = bytes([times]) + unit
    return seeds


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
    seeds.update(snappy_seeds(pick, text))
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
    seeds.update(grpc_seeds())
    for (target, name), content in seeds.items():
        folder = root / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--all"]:
        main(pathlib.Path(sys.argv[2]), list(vectors()))
    else:
        for old in (HERE / "seeds").glob("*/*"):
            if not old.name.startswith(FOUND):
                old.unlink()
        main(HERE / "seeds", list(chosen()))
