package main

import (
	"bytes"
	"compress/zlib"
	"io"
	"sync"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/gzip" // registers itself
)

func init() {
	encoding.RegisterCompressor(&stream{
		name:      "deflate", // as HTTP has it: zlib's format
		newWriter: func() resetWriter { return zlib.NewWriter(nil) },
		newReader: func() resetReader { return &zlibReader{} },
	})
	encoding.RegisterCompressor(&stream{
		name:      "snappy",
		newWriter: func() resetWriter { return snappy.NewBufferedWriter(nil) },
		newReader: func() resetReader { return snappyReader{snappy.NewReader(nil)} },
	})
	encoding.RegisterCompressor(&stream{
		name:      "lz4",
		newWriter: func() resetWriter { return lz4.NewWriter(nil) },
		newReader: func() resetReader { return lz4Reader{lz4.NewReader(nil)} },
	})
	encoding.RegisterCompressor(&block{
		name:     "snappy-block",
		compress: func(dst, message []byte) []byte { return snappy.Encode(dst[:cap(dst)], message) },
		decompress: func(dst, encoded []byte) ([]byte, error) {
			return snappy.Decode(dst[:cap(dst)], encoded)
		},
	})
	// Both keep a pool of their own, of state for whole messages.
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		panic(err)
	}
	encoding.RegisterCompressor(&block{
		name:       "zstd",
		compress:   func(dst, message []byte) []byte { return encoder.EncodeAll(message, dst[:0]) },
		decompress: func(dst, encoded []byte) ([]byte, error) { return decoder.DecodeAll(encoded, dst[:0]) },
	})
}

// Stream is an encoding whose writers and readers are used again and again.
type stream struct {
	name      string
	newWriter func() resetWriter
	newReader func() resetReader
	writers   sync.Pool
	readers   sync.Pool
}

type resetWriter interface {
	io.WriteCloser
	Reset(io.Writer)
}

type resetReader interface {
	io.Reader
	Reset(io.Reader) error
}

func (s *stream) Name() string { return s.name }

func (s *stream) Compress(w io.Writer) (io.WriteCloser, error) {
	writer, ok := s.writers.Get().(*pooledWriter)
	if !ok {
		writer = &pooledWriter{s.newWriter(), &s.writers}
	}
	writer.Reset(w)
	return writer, nil
}

func (s *stream) Decompress(r io.Reader) (io.Reader, error) {
	reader, ok := s.readers.Get().(*pooledReader)
	if !ok {
		reader = &pooledReader{s.newReader(), &s.readers}
	}
	return reader, reader.Reset(r)
}

// A pooledWriter goes back when it is closed.
type pooledWriter struct {
	resetWriter
	pool *sync.Pool
}

func (w *pooledWriter) Close() error {
	err := w.resetWriter.Close()
	w.pool.Put(w)
	return err
}

// A pooledReader goes back at the end of what it reads, after which grpc-go does not read on.
type pooledReader struct {
	resetReader
	pool *sync.Pool
}

func (r *pooledReader) Read(p []byte) (int, error) {
	n, err := r.resetReader.Read(p)
	if err == io.EOF {
		r.pool.Put(r)
	}
	return n, err
}

// Of these three a reset says different things, or is missing at first.
type snappyReader struct{ *snappy.Reader }

func (r snappyReader) Reset(from io.Reader) error { r.Reader.Reset(from); return nil }

type lz4Reader struct{ *lz4.Reader }

func (r lz4Reader) Reset(from io.Reader) error { r.Reader.Reset(from); return nil }

type zlibReader struct{ io.ReadCloser }

func (r *zlibReader) Reset(from io.Reader) (err error) {
	if r.ReadCloser == nil {
		r.ReadCloser, err = zlib.NewReader(from)
		return err
	}
	return r.ReadCloser.(zlib.Resetter).Reset(from, nil)
}

// Block is an encoding of whole messages, with buffers that are used again and again.
type block struct {
	name       string
	compress   func(dst, message []byte) []byte
	decompress func(dst, encoded []byte) ([]byte, error)
	writers    sync.Pool
	readers    sync.Pool
}

func (b *block) Name() string { return b.name }

func (b *block) Compress(w io.Writer) (io.WriteCloser, error) {
	writer, ok := b.writers.Get().(*blockWriter)
	if !ok {
		writer = &blockWriter{block: b}
	}
	writer.message.Reset()
	writer.to = w
	return writer, nil
}

func (b *block) Decompress(r io.Reader) (io.Reader, error) {
	reader, ok := b.readers.Get().(*blockReader)
	if !ok {
		reader = &blockReader{block: b}
	}
	return reader, reader.reset(r)
}

// A blockWriter gathers a message and writes it as one block.
type blockWriter struct {
	block   *block
	message bytes.Buffer
	encoded []byte
	to      io.Writer
}

func (w *blockWriter) Write(p []byte) (int, error) { return w.message.Write(p) }

func (w *blockWriter) Close() error {
	w.encoded = w.block.compress(w.encoded, w.message.Bytes())
	_, err := w.to.Write(w.encoded)
	w.to = nil
	w.block.writers.Put(w)
	return err
}

// A blockReader has decompressed all before it is read; it goes back as a pooledReader does.
type blockReader struct {
	block   *block
	encoded bytes.Buffer
	message []byte
	rest    bytes.Reader
}

func (r *blockReader) reset(from io.Reader) (err error) {
	r.encoded.Reset()
	if _, err := r.encoded.ReadFrom(from); err != nil {
		return err
	}
	r.message, err = r.block.decompress(r.message, r.encoded.Bytes())
	r.rest.Reset(r.message)
	return err
}

func (r *blockReader) Read(p []byte) (int, error) {
	n, err := r.rest.Read(p)
	if err == io.EOF {
		r.block.readers.Put(r)
	}
	return n, err
}
