package sourcemap

import "io"

// chunkSize is how much memory a section of an index takes at a time while it is made: growing one slice would copy it
// repeatedly, and hold it twice during a copy.
const chunkSize = 256 << 10

// chunks is a section of an index in the making. All chunks but the last are full.
type chunks struct {
	list [][]byte
	size int64
}

func (c *chunks) append(data []byte) {
	c.size += int64(len(data))
	for len(data) > 0 {
		if len(c.list) == 0 || len(c.list[len(c.list)-1]) == chunkSize {
			c.list = append(c.list, make([]byte, 0, chunkSize))
		}
		last := &c.list[len(c.list)-1]
		room := min(chunkSize-len(*last), len(data))
		*last = append(*last, data[:room]...)
		data = data[room:]
	}
}

// copyRange returns the bytes from start to end.
func (c *chunks) copyRange(start, end int64) []byte {
	data := make([]byte, 0, end-start)
	for start < end {
		chunk := c.list[start/chunkSize]
		from := start % chunkSize
		to := min(int64(len(chunk)), from+end-start)
		data = append(data, chunk[from:to]...)
		start += to - from
	}
	return data
}

// truncate drops the bytes after the first size bytes.
func (c *chunks) truncate(size int64) {
	c.size = size
	whole := int((size + chunkSize - 1) / chunkSize)
	c.list = c.list[:whole]
	if rest := size % chunkSize; rest > 0 {
		c.list[whole-1] = c.list[whole-1][:rest]
	}
}

// WriteTo writes the section.
func (c *chunks) WriteTo(w io.Writer) (int64, error) {
	var written int64
	for _, chunk := range c.list {
		count, err := w.Write(chunk)
		if written += int64(count); err != nil {
			return written, err
		}
	}
	return written, nil
}
