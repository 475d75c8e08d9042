// A gRPC client and server on @grpc/grpc-js, for the tests: an echo service on raw bytes.
//
// serve                   says "ADDRESS VERSION", serves until its stdin ends
// call ADDRESS ENCODING   makes every kind of call with the messages on stdin, each behind its
//                         length in four bytes, and checks the answers

'use strict';

const { once } = require('node:events');
const fs = require('node:fs');
const grpc = require('@grpc/grpc-js');
const { version } = require('@grpc/grpc-js/package.json');

const ALGORITHMS = { identity: 0, deflate: 1, gzip: 2 };
const LIMITS = { 'grpc.max_send_message_length': -1, 'grpc.max_receive_message_length': -1 };
const MILLISECONDS = 60_000;

const raw = (bytes) => bytes;

function method(name, requestStream, responseStream) {
  return {
    path: `/test.Echo/${name}`,
    requestStream,
    responseStream,
    requestSerialize: raw,
    requestDeserialize: raw,
    responseSerialize: raw,
    responseDeserialize: raw,
  };
}

const SERVICE = {
  Unary: method('Unary', false, false),
  ServerStream: method('ServerStream', false, true),
  ClientStream: method('ClientStream', true, false),
  Bidi: method('Bidi', true, true),
};

function serve() {
  const server = new grpc.Server(LIMITS); // it never compresses
  server.addService(SERVICE, {
    Unary: (call, answer) => answer(null, call.request),
    ServerStream: (call) => {
      call.write(call.request);
      call.write(call.request);
      call.end();
    },
    ClientStream: (call, answer) => {
      const messages = [];
      call.on('data', (message) => messages.push(message));
      call.on('end', () => answer(null, Buffer.concat(messages)));
    },
    Bidi: (call) => call.pipe(call),
  });
  server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    console.log(`127.0.0.1:${port} grpc-js ${version}`);
  });
  process.stdin.resume().on('end', () => process.exit(0));
}

async function callAll(address, name) {
  const messages = readMessages(fs.readFileSync(0));
  const Client = grpc.makeGenericClientConstructor(SERVICE, 'Echo');
  const client = new Client(address, grpc.credentials.createInsecure(), {
    ...LIMITS,
    'grpc.default_compression_algorithm': ALGORITHMS[name],
  });
  const metadata = new grpc.Metadata();
  metadata.set('x-answer', name);
  const options = { deadline: Date.now() + MILLISECONDS };

  for (const message of messages) {
    const answer = await promised((end) => client.Unary(message, metadata, options, end));
    same('Unary', [answer], [message]);
  }
  for (const message of messages) {
    const answers = await all(client.ServerStream(message, metadata, options));
    same('ServerStream', answers, [message, message]);
  }
  const joined = await promised((end) =>
    send(client.ClientStream(metadata, options, end), messages),
  );
  same('ClientStream', [joined], [Buffer.concat(messages)]);
  const call = client.Bidi(metadata, options);
  const [answers] = await Promise.all([all(call), send(call, messages)]);
  same('Bidi', answers, messages);
  client.close();
}

function promised(start) {
  return new Promise((resolve, reject) => {
    start((error, answer) => (error ? reject(error) : resolve(answer)));
  });
}

async function send(call, messages) {
  for (const message of messages) {
    if (!call.write(message)) await once(call, 'drain');
  }
  call.end();
}

async function all(call) {
  const answers = [];
  for await (const answer of call) answers.push(answer);
  return answers;
}

function readMessages(bytes) {
  const messages = [];
  for (let at = 0; at < bytes.length; ) {
    const start = at + 4;
    at = start + bytes.readUInt32BE(at);
    messages.push(bytes.subarray(start, at));
  }
  return messages;
}

function same(kind, answers, expected) {
  const equal =
    answers.length === expected.length && answers.every((it, i) => it.equals(expected[i]));
  if (!equal) {
    const lengths = [answers, expected].map((it) => JSON.stringify(it.map(({ length }) => length)));
    throw new Error(`${kind}: answers of ${lengths[0]} bytes, of messages of ${lengths[1]}`);
  }
}

const [command, address, encoding] = process.argv.slice(2);
if (command === 'serve') serve();
else if (command === 'call') callAll(address, encoding);
else throw new Error('serve | call ADDRESS ENCODING');
