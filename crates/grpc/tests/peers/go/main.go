// A gRPC client and server on grpc-go, for the tests: an echo service on raw bytes.
//
//	peer serve                      says "ADDRESS VERSION", serves until its stdin ends
//	peer call ADDRESS ENCODING      makes every kind of call with the messages on stdin, each behind
//	                                its length in four bytes, and checks the answers
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/metadata"
)

// Raw is a codec whose messages are their bytes.
type raw struct{ name string }

func (raw) Marshal(v any) ([]byte, error)      { return *v.(*[]byte), nil }
func (raw) Unmarshal(data []byte, v any) error { *v.(*[]byte) = append([]byte{}, data...); return nil }
func (c raw) Name() string                     { return c.name }

var (
	serverStream = grpc.StreamDesc{StreamName: "ServerStream", Handler: answerTwice, ServerStreams: true}
	clientStream = grpc.StreamDesc{StreamName: "ClientStream", Handler: answerJoined, ClientStreams: true}
	bidi         = grpc.StreamDesc{StreamName: "Bidi", Handler: answerEach, ServerStreams: true, ClientStreams: true}
)

func main() {
	encoding.RegisterCodec(raw{"proto"}) // what a peer gets that names no codec
	encoding.RegisterCodec(raw{"raw"})
	var err error
	switch {
	case len(os.Args) == 2 && os.Args[1] == "serve":
		err = serve()
	case len(os.Args) == 4 && os.Args[1] == "call":
		err = callAll(os.Args[2], os.Args[3])
	default:
		err = fmt.Errorf("usage: peer serve | peer call ADDRESS ENCODING")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(math.MaxInt32), grpc.MaxSendMsgSize(math.MaxInt32))
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "test.Echo",
		HandlerType: (*any)(nil),
		Methods:     []grpc.MethodDesc{{MethodName: "Unary", Handler: answerOne}},
		Streams:     []grpc.StreamDesc{serverStream, clientStream, bidi},
	}, struct{}{})
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	fmt.Println(listener.Addr(), "grpc-go", grpc.Version)
	return server.Serve(listener)
}

func answerOne(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	message := new([]byte)
	return message, decode(message)
}

func answerTwice(_ any, stream grpc.ServerStream) error {
	var message []byte
	if err := stream.RecvMsg(&message); err != nil {
		return err
	}
	if err := stream.SendMsg(&message); err != nil {
		return err
	}
	return stream.SendMsg(&message)
}

func answerJoined(_ any, stream grpc.ServerStream) error {
	var all []byte
	for {
		var message []byte
		err := stream.RecvMsg(&message)
		if err == io.EOF {
			return stream.SendMsg(&all)
		}
		if err != nil {
			return err
		}
		all = append(all, message...)
	}
}

func answerEach(_ any, stream grpc.ServerStream) error {
	for {
		var message []byte
		err := stream.RecvMsg(&message)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = stream.SendMsg(&message)
		}
		if err != nil {
			return err
		}
	}
}

// The client's calls, all with the same options.
type client struct {
	ctx        context.Context
	connection *grpc.ClientConn
}

func callAll(address, name string) error {
	messages, err := readMessages(bufio.NewReader(os.Stdin))
	if err != nil {
		return err
	}
	options := []grpc.CallOption{
		grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32),
		grpc.CallContentSubtype("raw"), grpc.WaitForReady(true),
	}
	if name != "identity" {
		options = append(options, grpc.UseCompressor(name))
	}
	connection, err := grpc.Dial(address, grpc.WithInsecure(), grpc.WithDefaultCallOptions(options...))
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	it := client{metadata.AppendToOutgoingContext(ctx, "x-answer", name), connection}
	for _, message := range messages {
		answer := new([]byte)
		if err := connection.Invoke(it.ctx, "/test.Echo/Unary", &message, answer); err != nil {
			return fmt.Errorf("Unary, %d bytes: %v", len(message), err)
		}
		if err := same("Unary", [][]byte{*answer}, message); err != nil {
			return err
		}
	}
	for _, message := range messages {
		if err := it.stream(&serverStream, [][]byte{message}, message, message); err != nil {
			return err
		}
	}
	if err := it.stream(&clientStream, messages, bytes.Join(messages, nil)); err != nil {
		return err
	}
	return it.stream(&bidi, messages, messages...)
}

func (it client) stream(kind *grpc.StreamDesc, messages [][]byte, expected ...[]byte) error {
	fail := func(err error) error { return fmt.Errorf("%s: %v", kind.StreamName, err) }
	stream, err := it.connection.NewStream(it.ctx, kind, "/test.Echo/"+kind.StreamName)
	if err != nil {
		return fail(err)
	}
	go func() {
		for _, message := range messages {
			if stream.SendMsg(&message) != nil {
				return // RecvMsg says why
			}
		}
		stream.CloseSend()
	}()
	var answers [][]byte
	for {
		var answer []byte
		err := stream.RecvMsg(&answer)
		if err == io.EOF {
			break
		}
		if err != nil {
			return fail(err)
		}
		answers = append(answers, answer)
		if !kind.ServerStreams {
			break // without more to come RecvMsg has seen the status
		}
	}
	return same(kind.StreamName, answers, expected...)
}

func same(kind string, answers [][]byte, expected ...[]byte) error {
	if len(answers) != len(expected) {
		return fmt.Errorf("%s: %d answers, not %d", kind, len(answers), len(expected))
	}
	for i, answer := range answers {
		if !bytes.Equal(answer, expected[i]) {
			return fmt.Errorf("%s: answer %d of %d bytes is not the message of %d", kind, i, len(answer), len(expected[i]))
		}
	}
	return nil
}

func readMessages(from io.Reader) (messages [][]byte, err error) {
	for {
		var length uint32
		err := binary.Read(from, binary.BigEndian, &length)
		if err == io.EOF {
			return messages, nil
		}
		message := make([]byte, length)
		if err == nil {
			_, err = io.ReadFull(from, message)
		}
		if err != nil {
			return nil, err
		}
		messages = append(messages, message)
	}
}
