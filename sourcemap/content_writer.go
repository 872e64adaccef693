package sourcemap

import (
	"bytes"
	"encoding/binary"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// rawRange is the position of a source's content in the contents before compression.
type rawRange struct {
	start, end uint32
	firstLine  uint32
	given      bool // false for null
}

// compressors is how many goroutines compress blocks. Compression is half of the work of making an index.
const compressors = 2

// contentWriter packs the contents of the sources into compressed blocks.
type contentWriter struct {
	ranges []rawRange
	blocks []*contentBlockJob

	raw     []byte // the block that is being filled
	size    int64
	newline uint32 // line ends so far
	carried bool   // the last byte was a carriage return

	jobs    chan *contentBlockJob
	spare   chan []byte // memory of compressed blocks
	working sync.WaitGroup
}

// contentBlockJob is a block on its way to a compressor and back.
type contentBlockJob struct {
	raw    []byte
	lines  uint32 // that end before it
	packed []byte // set when the job is done
}

func newContentWriter() *contentWriter {
	const ahead = 2 * compressors
	w := &contentWriter{jobs: make(chan *contentBlockJob, ahead), spare: make(chan []byte, ahead+compressors+1)}
	for range cap(w.spare) {
		w.spare <- nil // made when needed: many maps have no contents
	}
	for range compressors {
		w.working.Go(w.compress)
	}
	return w
}

// compress runs in each of the goroutines; they end when there are no more jobs.
func (w *contentWriter) compress() {
	var encoder *zstd.Encoder // only EncodeAll of it is used, which needs no Close
	var packed []byte
	for job := range w.jobs {
		if encoder == nil {
			encoder = newEncoder()
		}
		packed = encoder.EncodeAll(job.raw, packed[:0])
		job.packed = bytes.Clone(packed)
		w.spare <- job.raw[:0]
		job.raw = nil
	}
}

func newEncoder() *zstd.Encoder {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(contentBlock), zstd.WithEncoderCRC(true))
	if err != nil {
		panic(err) // only wrong options
	}
	return encoder
}

// beginSource begins the content of the next source.
func (w *contentWriter) beginSource() {
	w.ranges = append(w.ranges, rawRange{start: uint32(w.size), firstLine: w.newline, given: true})
	w.carried = false
}

// skipSource is for a source without content.
func (w *contentWriter) skipSource() { w.ranges = append(w.ranges, rawRange{}) }

// alignSources makes the list of contents as long as the list of sources. A map may have fewer contents; extra ones are ignored.
func (w *contentWriter) alignSources(sources int) {
	for len(w.ranges) < sources {
		w.skipSource()
	}
	w.ranges = w.ranges[:sources]
}

// write adds text to the content of the source. Every line end (\r\n, \r) becomes \n: context lines are cut there.
func (w *contentWriter) write(text []byte) {
	for len(text) > 0 {
		if w.carried {
			if w.carried = false; text[0] == '\n' {
				text = text[1:]
			}
		}
		plain := bytes.IndexByte(text, '\r')
		if plain < 0 {
			w.writeRaw(text)
			return
		}
		w.writeRaw(text[:plain])
		w.writeRaw([]byte{'\n'})
		text, w.carried = text[plain+1:], true
	}
}

// endSource ends the content; the newline after it is not part of it.
func (w *contentWriter) endSource() {
	w.ranges[len(w.ranges)-1].end = uint32(w.size)
	w.writeRaw([]byte{'\n'})
}

func (w *contentWriter) writeRaw(text []byte) {
	w.size += int64(len(text))
	for len(text) > 0 {
		if len(w.raw) == 0 {
			if w.raw = <-w.spare; w.raw == nil {
				w.raw = make([]byte, 0, contentBlock)
			}
			w.blocks = append(w.blocks, &contentBlockJob{lines: w.newline})
		}
		room := min(contentBlock-len(w.raw), len(text))
		w.newline += uint32(bytes.Count(text[:room], []byte{'\n'}))
		w.raw = append(w.raw, text[:room]...)
		text = text[room:]
		if len(w.raw) == contentBlock {
			w.sendBlock()
		}
	}
}

// sendBlock sends the current block to be compressed.
func (w *contentWriter) sendBlock() {
	job := w.blocks[len(w.blocks)-1]
	job.raw, w.raw = w.raw, nil
	w.jobs <- job
}

// close ends the last block, and the goroutines. It may be called more than once.
func (w *contentWriter) close() {
	if w.jobs == nil {
		return
	}
	if len(w.raw) > 0 {
		w.sendBlock()
	}
	close(w.jobs)
	w.working.Wait()
	w.jobs = nil
}

// encode returns the sections of the contents, after the writer is closed.
func (w *contentWriter) encode() (table, packed *chunks) {
	table, packed = &chunks{}, &chunks{}
	for _, block := range w.blocks {
		entry := binary.LittleEndian.AppendUint32(nil, uint32(packed.size))
		table.append(binary.LittleEndian.AppendUint32(entry, block.lines))
		packed.append(block.packed)
		block.packed = nil // its memory is free for the next
	}
	return table, packed
}
