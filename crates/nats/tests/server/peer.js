// A NATS client on nats.js, for the tests: it knows Thinwire's messages by their label alone.
//
// read URL COUNT      reads the stream "theirs" through a consumer, restores each message by its
//                     Content-Encoding and writes it to stdout behind its length in four bytes
// write URL ENCODING  publishes each message on stdin, each behind its length, to "ours.node",
//                     compressed and labelled
"use strict";

const zlib = require("node:zlib");
const { AckPolicy, connect, headers } = require("nats");

const ENCODE = { gzip: zlib.gzipSync, deflate: zlib.deflateSync };
const DECODE = { "": (data) => data, gzip: zlib.gunzipSync, deflate: zlib.inflateSync };
const MILLISECONDS = 60_000;

async function read(url, count) {
    const client = await connect({ servers: url });
    const manager = await client.jetstreamManager();
    const config = { durable_name: "node", ack_policy: AckPolicy.Explicit };
    await manager.consumers.add("theirs", config);
    const consumer = await client.jetstream().consumers.get("theirs", "node");
    const output = [];
    for (let left = Number(count); left > 0; ) {
        const messages = await consumer.fetch({ max_messages: left, expires: MILLISECONDS });
        for await (const message of messages) {
            const payload = DECODE[message.headers?.get("Content-Encoding") ?? ""](message.data);
            const length = Buffer.alloc(4);
            length.writeUInt32BE(payload.length);
            output.push(length, payload);
            message.ack();
            left -= 1;
        }
    }
    await client.drain();
    process.stdout.write(Buffer.concat(output));
}

async function write(url, encoding) {
    const client = await connect({ servers: url });
    for (const payload of messages(await input())) {
        const labelled = headers();
        labelled.set("CONTENT-ENCODING", encoding);
        const options = { headers: labelled, timeout: MILLISECONDS };
        await client.jetstream().publish("ours.node", ENCODE[encoding](payload), options);
    }
    await client.drain();
}

async function input() {
    const chunks = [];
    for await (const chunk of process.stdin) chunks.push(chunk);
    return Buffer.concat(chunks);
}

function* messages(bytes) {
    for (let at = 0; at < bytes.length; ) {
        const length = bytes.readUInt32BE(at);
        yield bytes.subarray(at + 4, at + 4 + length);
        at += 4 + length;
    }
}

const [command, ...rest] = process.argv.slice(2);
const run = { read, write }[command];
if (!run || rest.length !== 2) throw new Error("read URL COUNT, or write URL ENCODING");
run(...rest).catch((error) => {
    console.error(error);
    process.exit(1);
});
