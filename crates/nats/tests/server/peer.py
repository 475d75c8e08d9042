"""A NATS client on nats-py, for the tests: it knows Thinwire's messages by their label alone.

read URL COUNT     reads the stream "theirs" through a consumer, restores each message by its
                   Content-Encoding and writes it to stdout behind its length in four bytes
write URL ENCODING publishes each message on stdin, each behind its length, to "ours.python",
                   compressed and labelled
"""

import asyncio
import gzip
import struct
import sys
import zlib

import cramjam
import lz4.frame
import nats
import zstandard

ENCODE = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "zstd": lambda data: zstandard.ZstdCompressor().compress(data),
    "lz4": lz4.frame.compress,
    "snappy": lambda data: bytes(cramjam.snappy.compress(data)),
    "snappy-block": lambda data: bytes(cramjam.snappy.compress_raw(data)),
}
DECODE = {
    None: lambda data: data,
    "gzip": gzip.decompress,
    "deflate": zlib.decompress,
    "zstd": lambda data: zstandard.ZstdDecompressor().decompressobj().decompress(data),
    "lz4": lz4.frame.decompress,
    "snappy": lambda data: bytes(cramjam.snappy.decompress(data)),
    "snappy-block": lambda data: bytes(cramjam.snappy.decompress_raw(data)),
}
SECONDS = 60


async def read(url, count):
    client = await nats.connect(url)
    subscription = await client.jetstream().pull_subscribe("theirs.>", "python")
    left = int(count)
    while left:
        for message in await subscription.fetch(left, timeout=SECONDS):
            label = (message.headers or {}).get("Content-Encoding")
            payload = DECODE[label](message.data)
            sys.stdout.buffer.write(struct.pack(">I", len(payload)) + payload)
            await message.ack()
            left -= 1
    await client.close()


async def write(url, encoding):
    client = await nats.connect(url)
    for payload in read_messages(sys.stdin.buffer):
        headers = {"content-encoding": encoding}
        await client.jetstream().publish(
            "ours.python", ENCODE[encoding](payload), headers=headers, timeout=SECONDS
        )
    await client.close()


def read_messages(file):
    while length := file.read(4):
        yield file.read(struct.unpack(">I", length)[0])


if len(sys.argv) == 4 and sys.argv[1] in ("read", "write"):
    asyncio.run({"read": read, "write": write}[sys.argv[1]](*sys.argv[2:]))
else:
    sys.exit(__doc__)
