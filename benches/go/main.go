// Go's half of the table of ../prior-art: the nine digits × 1024 by the compressors that the tests
// register with grpc-go. Tab-separated lines as crates/core/benches/prior_art.rs prints them.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"testing"

	"github.com/golang/snappy"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
)

var payload = bytes.Repeat([]byte("123456789"), 1024)

// As grpc-go reads: one byte more than it would accept, to see that there is more.
const limit = 64<<20 + 1

func main() {
	testing.Init() // or there is no such flag
	must(flag.Set("test.benchtime", "200ms"))
	if len(os.Args) > 1 {
		must(flag.Set("test.benchtime", os.Args[1]))
	}
	for _, name := range []string{"snappy", "snappy-block", "zstd"} {
		measure(name, encoding.GetCompressor(name))
	}
	fmt.Printf("#\t%s, grpc-go %s\n", runtime.Version(), grpc.Version)
}

func measure(name string, compressor encoding.Compressor) {
	var encoded bytes.Buffer
	compress(compressor, &encoded)
	if !bytes.Equal(decompress(name, compressor, encoded.Bytes()), payload) {
		panic(name + " gives back something else")
	}
	report := func(what string, result testing.BenchmarkResult) {
		fmt.Printf("go\t%s\t%s\t%d\t%d\t%d\t%d\n", name, what, result.NsPerOp(),
			result.AllocedBytesPerOp(), result.AllocsPerOp(), encoded.Len())
	}
	var kept bytes.Buffer
	var in bytes.Reader

	report("compress\tnew", benchmark(encoded.Len(), func() int {
		var out bytes.Buffer
		compress(compressor, &out)
		return out.Len()
	}))
	report("compress\tkept", benchmark(encoded.Len(), func() int {
		kept.Reset()
		compress(compressor, &kept)
		return kept.Len()
	}))
	report("decompress\tnew", benchmark(len(payload), func() int {
		return len(decompress(name, compressor, encoded.Bytes()))
	}))
	report("decompress\tkept", benchmark(len(payload), func() int {
		kept.Reset()
		in.Reset(encoded.Bytes())
		decompressTo(&kept, compressor, &in)
		return kept.Len()
	}))
}

func compress(compressor encoding.Compressor, to io.Writer) {
	writer, err := compressor.Compress(to)
	must(err)
	_, err = writer.Write(payload)
	must(err)
	must(writer.Close())
}

// As grpc-go does it, for a compressor that can tell the size, as Cortex's for snappy-block, and for
// the others that can't.
func decompress(name string, compressor encoding.Compressor, encoded []byte) []byte {
	if name == "snappy-block" {
		size, err := snappy.DecodedLen(encoded)
		must(err)
		out := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
		decompressTo(out, compressor, bytes.NewReader(encoded))
		return out.Bytes()
	}
	reader, err := compressor.Decompress(bytes.NewReader(encoded))
	must(err)
	out, err := io.ReadAll(io.LimitReader(reader, limit))
	must(err)
	return out
}

func decompressTo(out *bytes.Buffer, compressor encoding.Compressor, encoded io.Reader) {
	reader, err := compressor.Decompress(encoded)
	must(err)
	_, err = out.ReadFrom(io.LimitReader(reader, limit))
	must(err)
}

func benchmark(size int, call func() int) testing.BenchmarkResult {
	return testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; i < b.N; i++ {
			if call() != size {
				panic("another length")
			}
		}
	})
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
