// Measures golang/snappy for the benchmark that started it.
//
// Reads: a byte, 0 to encode, 1 to decode, 2 to check; then the number of sets, and for each the
// number of its messages, each behind its length; then rows of sets, for as long as there are any.
// Answers each row with the nanoseconds that one pass through the set took, and the sum of its
// results' lengths; when checking, sets are blocks, each before what it holds, and the sum is of those
// that hold it. All numbers have eight bytes, the lowest first.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"time"

	"github.com/golang/snappy"
)

var in = bufio.NewReaderSize(os.Stdin, 1<<20)

func number() (uint64, error) {
	var word [8]byte
	_, err := io.ReadFull(in, word[:])
	return binary.LittleEndian.Uint64(word[:]), err
}

func must(number uint64, err error) uint64 {
	if err != nil {
		panic(err)
	}
	return number
}

func main() {
	mode, err := in.ReadByte()
	if err != nil {
		panic(err)
	}
	sets := make([][][]byte, must(number()))
	for row := range sets {
		sets[row] = make([][]byte, must(number()))
		for at := range sets[row] {
			message := make([]byte, must(number()))
			if _, err := io.ReadFull(in, message); err != nil {
				panic(err)
			}
			sets[row][at] = message
		}
	}
	room := make([]byte, 4<<20)
	for {
		row, err := number()
		if err != nil {
			return
		}
		var nanoseconds, size uint64
		if mode == 2 {
			size = right(sets[row], room)
		} else {
			nanoseconds, size = pass(mode == 1, sets[row], room)
		}
		var answer [16]byte
		binary.LittleEndian.PutUint64(answer[:8], nanoseconds)
		binary.LittleEndian.PutUint64(answer[8:], size)
		os.Stdout.Write(answer[:])
	}
}

func right(pairs [][]byte, room []byte) (count uint64) {
	for at := 0; at+1 < len(pairs); at += 2 {
		result, err := snappy.Decode(room, pairs[at])
		if err == nil && bytes.Equal(result, pairs[at+1]) {
			count++
		}
	}
	return count
}

func pass(decode bool, messages [][]byte, room []byte) (nanoseconds, size uint64) {
	begin := time.Now()
	for _, message := range messages {
		if decode {
			result, err := snappy.Decode(room, message)
			if err != nil {
				panic(err)
			}
			size += uint64(len(result))
		} else {
			size += uint64(len(snappy.Encode(room, message)))
		}
	}
	return uint64(time.Since(begin).Nanoseconds()), size
}
