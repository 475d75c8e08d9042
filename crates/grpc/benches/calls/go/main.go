// A gRPC client and server on grpc-go, for the benchmark: the server answers with an empty message.
//
//	peer serve ADDRESS
//	peer call ADDRESS ENCODING
//
// Both take commands on their input, one a line, and answer each with a line of JSON, as role.rs
// beside this folder says. The encodings are those of the tests' peer.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
)

// Raw is a codec whose messages are their bytes; it copies none.
type raw struct{ name string }

func (raw) Marshal(v any) ([]byte, error)      { return *v.(*[]byte), nil }
func (raw) Unmarshal(data []byte, v any) error { *v.(*[]byte) = data; return nil }
func (c raw) Name() string                     { return c.name }

var many = grpc.StreamDesc{StreamName: "Stream", Handler: takeAll, ClientStreams: true}

func main() {
	encoding.RegisterCodec(raw{"proto"}) // what a peer gets that names no codec
	encoding.RegisterCodec(raw{"raw"})
	switch {
	case len(os.Args) == 3 && os.Args[1] == "serve":
		check(serve(os.Args[2]))
	case len(os.Args) == 4 && os.Args[1] == "call":
		check(call(os.Args[2], os.Args[3]))
	default:
		check(fmt.Errorf("usage: peer serve ADDRESS | peer call ADDRESS ENCODING"))
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type answer map[string]any

func say(it answer) { check(json.NewEncoder(os.Stdout).Encode(it)) }

func version() string { return "grpc-go " + grpc.Version + ", " + runtime.Version() }

// Obey answers commands until the input ends.
func obey(own func([]string) (answer, error)) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		switch words := strings.Split(lines.Text(), " "); words[0] {
		case "cpu":
			var usage syscall.Rusage
			check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
			say(answer{"cpu_ns": usage.Utime.Nano() + usage.Stime.Nano()})
		case "allocations":
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			say(answer{"allocations": memory.Mallocs})
		default:
			it, err := own(words)
			check(err)
			say(it)
		}
	}
	os.Exit(0)
}

func serve(address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(math.MaxInt32))
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "test.Sink",
		HandlerType: (*any)(nil),
		Methods:     []grpc.MethodDesc{{MethodName: "Unary", Handler: takeOne}},
		Streams:     []grpc.StreamDesc{many},
	}, struct{}{})
	say(answer{"address": listener.Addr().String(), "version": version()})
	go obey(func([]string) (answer, error) { return nil, fmt.Errorf("a server does not call") })
	return server.Serve(listener)
}

func takeOne(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	return new([]byte), decode(new([]byte))
}

func takeAll(_ any, stream grpc.ServerStream) error {
	for {
		var message []byte
		err := stream.RecvMsg(&message)
		if err == io.EOF {
			return stream.SendMsg(new([]byte))
		}
		if err != nil {
			return err
		}
	}
}

func call(address, name string) error {
	options := []grpc.CallOption{grpc.CallContentSubtype("raw"), grpc.WaitForReady(true)}
	if name != "identity" {
		options = append(options, grpc.UseCompressor(name))
	}
	connection, err := grpc.Dial(address, grpc.WithInsecure(), grpc.WithBlock(), grpc.WithDefaultCallOptions(options...))
	if err != nil {
		return err
	}
	say(answer{"version": version()})
	var messages [][]byte
	obey(func(words []string) (answer, error) {
		if words[0] == "messages" {
			messages, err = readMessages(words[1])
			return answer{"count": len(messages)}, err
		}
		inFlight, err := strconv.Atoi(words[2])
		check(err)
		count, err := strconv.Atoi(words[3])
		check(err)
		return run(connection, words[1] == "stream", inFlight, count, messages)
	})
	return nil
}

func run(connection *grpc.ClientConn, isStream bool, inFlight, count int, messages [][]byte) (answer, error) {
	started := time.Now()
	lengths := make([]int, inFlight)
	var calls sync.WaitGroup
	for first := 0; first < inFlight; first++ {
		first := first
		calls.Add(1)
		go func() {
			defer calls.Done()
			send := sendUnary
			if isStream {
				send = sendStream
			}
			check(send(connection, func(each func(*[]byte) error) error {
				for at := first; at < count; at += inFlight {
					message := &messages[at%len(messages)]
					lengths[first] += len(*message)
					if err := each(message); err != nil {
						return err
					}
				}
				return nil
			}))
		}()
	}
	calls.Wait()
	wall := time.Since(started)
	length := 0
	for _, it := range lengths {
		length += it
	}
	return answer{"wall_ns": wall.Nanoseconds(), "payload_bytes": length}, nil
}

func sendUnary(connection *grpc.ClientConn, messages func(func(*[]byte) error) error) error {
	return messages(func(message *[]byte) error {
		return connection.Invoke(context.Background(), "/test.Sink/Unary", message, new([]byte))
	})
}

func sendStream(connection *grpc.ClientConn, messages func(func(*[]byte) error) error) error {
	call, err := connection.NewStream(context.Background(), &many, "/test.Sink/Stream")
	if err != nil {
		return err
	}
	if err := messages(func(message *[]byte) error { return call.SendMsg(message) }); err != nil && err != io.EOF {
		return err // at io.EOF RecvMsg says why
	}
	if err := call.CloseSend(); err != nil {
		return err
	}
	return call.RecvMsg(new([]byte))
}

// Messages are in the file each behind its length in four bytes.
func readMessages(path string) (messages [][]byte, err error) {
	rest, err := os.ReadFile(path)
	for err == nil && len(rest) > 0 {
		length := 4 + binary.BigEndian.Uint32(rest)
		messages, rest = append(messages, rest[4:length:length]), rest[length:]
	}
	return messages, err
}
