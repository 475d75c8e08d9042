"""A gRPC client and server on grpcio, for the tests: an echo service on raw bytes.

serve                   says "ADDRESS VERSION", serves until its stdin ends
call ADDRESS ENCODING   makes every kind of call with the messages on stdin, each behind its length
                        in four bytes, and checks the answers
"""

import struct
import sys
from concurrent.futures import ThreadPoolExecutor

import grpc

ENCODINGS = {
    "identity": grpc.Compression.NoCompression,
    "gzip": grpc.Compression.Gzip,
    "deflate": grpc.Compression.Deflate,
}
OPTIONS = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]
SECONDS = 60


def answer_each(messages, context):
    asked = dict(context.invocation_metadata())["x-answer"]
    context.set_compression(ENCODINGS[asked])
    yield from messages


def answer_one(message, context):
    return next(answer_each([message], context))


def answer_twice(message, context):
    return answer_each([message, message], context)


def answer_joined(messages, context):
    return b"".join(answer_each(messages, context))


def serve():
    server = grpc.server(ThreadPoolExecutor(4), options=OPTIONS)
    methods = {
        "Unary": grpc.unary_unary_rpc_method_handler(answer_one),
        "ServerStream": grpc.unary_stream_rpc_method_handler(answer_twice),
        "ClientStream": grpc.stream_unary_rpc_method_handler(answer_joined),
        "Bidi": grpc.stream_stream_rpc_method_handler(answer_each),
    }
    handler = grpc.method_handlers_generic_handler("test.Echo", methods)
    server.add_generic_rpc_handlers((handler,))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(f"127.0.0.1:{port} grpcio {grpc.__version__}", flush=True)
    sys.stdin.buffer.read()
    server.stop(0).wait()


def call(address, name):
    messages = list(read_messages(sys.stdin.buffer))
    how = {
        "compression": ENCODINGS[name],
        "metadata": [("x-answer", name)],
        "timeout": SECONDS,
        "wait_for_ready": True,
    }
    with grpc.insecure_channel(address, options=OPTIONS) as channel:
        for message in messages:
            same("Unary", [channel.unary_unary("/test.Echo/Unary")(message, **how)], [message])
        for message in messages:
            answers = channel.unary_stream("/test.Echo/ServerStream")(message, **how)
            same("ServerStream", list(answers), [message, message])
        answer = channel.stream_unary("/test.Echo/ClientStream")(iter(messages), **how)
        same("ClientStream", [answer], [b"".join(messages)])
        answers = channel.stream_stream("/test.Echo/Bidi")(iter(messages), **how)
        same("Bidi", list(answers), messages)


def read_messages(file):
    while length := file.read(4):
        yield file.read(struct.unpack(">I", length)[0])


def same(kind, answers, expected):
    if answers != expected:
        lengths = [[len(message) for message in messages] for messages in (answers, expected)]
        sys.exit(f"{kind}: answers of {lengths[0]} bytes are not the messages of {lengths[1]}")


if sys.argv[1:] == ["serve"]:
    serve()
elif len(sys.argv) == 4 and sys.argv[1] == "call":
    call(sys.argv[2], sys.argv[3])
else:
    sys.exit(__doc__)
