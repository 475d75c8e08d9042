package main

import (
	"bytes"
	"compress/zlib"
	"io"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/gzip" // registers itself
)

// Compressor is an encoding by its writer and its reader.
type compressor struct {
	name  string
	write func(io.Writer) (io.WriteCloser, error)
	read  func(io.Reader) (io.Reader, error)
}

func (c compressor) Compress(w io.Writer) (io.WriteCloser, error) { return c.write(w) }
func (c compressor) Decompress(r io.Reader) (io.Reader, error)    { return c.read(r) }
func (c compressor) Name() string                                 { return c.name }

func init() {
	encoding.RegisterCompressor(compressor{
		"deflate", // as HTTP has it: zlib's format
		func(w io.Writer) (io.WriteCloser, error) { return zlib.NewWriter(w), nil },
		func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) },
	})
	encoding.RegisterCompressor(compressor{
		"snappy",
		func(w io.Writer) (io.WriteCloser, error) { return snappy.NewBufferedWriter(w), nil },
		func(r io.Reader) (io.Reader, error) { return snappy.NewReader(r), nil },
	})
	encoding.RegisterCompressor(compressor{
		"snappy-block",
		func(w io.Writer) (io.WriteCloser, error) { return &block{to: w}, nil },
		func(r io.Reader) (io.Reader, error) {
			encoded, err := io.ReadAll(r)
			if err != nil {
				return nil, err
			}
			message, err := snappy.Decode(nil, encoded)
			return bytes.NewReader(message), err
		},
	})
	encoding.RegisterCompressor(compressor{
		"lz4",
		func(w io.Writer) (io.WriteCloser, error) { return lz4.NewWriter(w), nil },
		func(r io.Reader) (io.Reader, error) { return lz4.NewReader(r), nil },
	})
	encoding.RegisterCompressor(compressor{
		"zstd",
		func(w io.Writer) (io.WriteCloser, error) {
			return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		},
		func(r io.Reader) (io.Reader, error) {
			return zstd.NewReader(r, zstd.WithDecoderConcurrency(1))
		},
	})
}

// Block gathers a message and writes it as one block.
type block struct {
	message bytes.Buffer
	to      io.Writer
}

func (b *block) Write(data []byte) (int, error) { return b.message.Write(data) }

func (b *block) Close() error {
	_, err := b.to.Write(snappy.Encode(nil, b.message.Bytes()))
	return err
}
