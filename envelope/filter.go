package envelope

import (
	"bytes"
	"io"
	"slices"
)

const (
	// maxHeaderLine is the longest line that a Filter accepts as the header of an item.
	maxHeaderLine = 64 << 10
	// maxTail is how many of the last bytes of a skipped payload are held until its end.
	maxTail = 256 << 10
)

// Filter copies an envelope, piece by piece, without the payloads that are dropped anyway: all except events. SplitEnvelope finds
// the same events in the result; the payload of a dropped item is empty. There is one exception: when the length of a payload
// points beyond the end of the envelope, items after its true end are found only in the last 256 KB. A Filter holds at most twice
// that much; otherwise only the header of one item.
type Filter struct {
	to       io.Writer
	takePart func(*Filter, []byte) (rest []byte, err error) // receives the next piece of the input

	// headerLine is the header of an item: the part that has arrived, or the header of the skipped payload.
	headerLine   []byte
	skipsPayload bool   // the payload is left out
	payloadLeft  int    // bytes of the payload not yet received
	skippedBytes int    // bytes of it that were left out
	tail         []byte // the last of these
	itemCount    int
	seeksHeader  bool // after a malformed item: the next line that can be a header counts
}

// NewFilter makes a filter that writes to a writer.
func NewFilter(to io.Writer) *Filter { return &Filter{to: to, takePart: (*Filter).passLine} }

// Write takes the next piece of the envelope. It returns the error of the writer behind the filter.
func (f *Filter) Write(piece []byte) (int, error) {
	for rest := piece; len(rest) > 0; {
		var err error
		if rest, err = f.takePart(f, rest); err != nil {
			return 0, err
		}
	}
	return len(piece), nil
}

// Close writes the rest at the end of the envelope.
func (f *Filter) Close() error {
	if f.skipsPayload && f.payloadLeft == 0 {
		return f.endPayload()
	}
	if err := f.passHeader(); err != nil { // without an end, or with a payload shorter than its length
		return err
	}
	return f.passTail()
}

// passTail writes the end of a payload that ended before its length: other items may be in it. It starts with a whole line.
func (f *Filter) passTail() error {
	tail := f.tail[max(0, len(f.tail)-maxTail):]
	if len(tail) < f.skippedBytes {
		_, tail = cutLine(tail)
	}
	_, err := f.to.Write(tail)
	return err
}

// keepTail holds the last bytes of a skipped payload.
func (f *Filter) keepTail(part []byte) {
	f.skippedBytes += len(part)
	if len(part) >= maxTail {
		f.tail, part = f.tail[:0], part[len(part)-maxTail:]
	}
	if len(f.tail)+len(part) > 2*maxTail {
		f.tail = f.tail[:copy(f.tail, f.tail[len(f.tail)-maxTail:])]
	}
	if need := len(f.tail) + len(part); need > cap(f.tail) { // most payloads are short, and the others end at this size
		f.tail = slices.Grow(f.tail, min(4*need, 2*maxTail)-len(f.tail))
	}
	f.tail = append(f.tail, part...)
}

// passLine copies the rest of a line: the envelope's header, or the payload of an event.
func (f *Filter) passLine(piece []byte) (rest []byte, err error) {
	line, rest := cutAfterLine(piece)
	if line[len(line)-1] == '\n' {
		f.takePart = (*Filter).gatherHeader
	}
	_, err = f.to.Write(line)
	return rest, err
}

// cutAfterLine cuts a text after its first line, which keeps its line end.
func cutAfterLine(text []byte) (line, rest []byte) {
	end := bytes.IndexByte(text, '\n') + 1
	if end == 0 {
		end = len(text)
	}
	return text[:end], text[end:]
}

// gatherHeader gathers the line before a payload. It copies empty lines before it.
func (f *Filter) gatherHeader(piece []byte) (rest []byte, err error) {
	if len(f.headerLine) == 0 {
		trimmed := bytes.TrimLeft(piece, "\r\n")
		if empty := len(piece) - len(trimmed); empty > 0 {
			_, err = f.to.Write(piece[:empty])
			return trimmed, err
		}
	}
	line, rest := cutAfterLine(piece)
	f.headerLine = append(f.headerLine, line...)
	switch {
	case f.headerLine[len(f.headerLine)-1] == '\n':
		return rest, f.decideItem()
	case len(f.headerLine) > maxHeaderLine: // SplitEnvelope will report it
		f.takePart = (*Filter).passAll
		return rest, f.passHeader()
	}
	return rest, nil
}

func (f *Filter) passHeader() error {
	_, err := f.to.Write(f.headerLine)
	f.headerLine = f.headerLine[:0]
	return err
}

func (f *Filter) passAll(piece []byte) (rest []byte, err error) {
	_, err = f.to.Write(piece)
	return nil, err
}

func (f *Filter) skipAll([]byte) (rest []byte, err error) { return nil, nil }

// decideItem decides whether to copy or skip the payload after the header.
func (f *Filter) decideItem() error {
	header, err := parseItemHeader(f.headerLine)
	if f.seeksHeader && (err != nil || !header.canResync()) {
		return f.passHeader()
	}
	f.itemCount++
	f.seeksHeader = err != nil
	switch {
	case f.seeksHeader:
		return f.passHeader()
	case f.itemCount > maxItems: // SplitEnvelope reports it as one too many
		f.takePart = (*Filter).skipAll
		return f.passHeader()
	}
	f.skipsPayload, f.payloadLeft = KindOf(header.itemType) != Event && header.length != 0, max(header.length, 0)
	switch {
	case header.length < 0:
		f.takePart = (*Filter).takePayloadLine
	case header.length > 0:
		f.takePart = (*Filter).takePayload
	}
	if f.skipsPayload {
		return nil
	}
	return f.passHeader()
}

// takePayload copies or skips as many bytes as the header says.
func (f *Filter) takePayload(piece []byte) (rest []byte, err error) {
	count := min(f.payloadLeft, len(piece))
	if f.payloadLeft -= count; f.payloadLeft == 0 {
		f.takePart = (*Filter).checkPayloadEnd
	}
	if f.skipsPayload {
		f.keepTail(piece[:count])
	} else {
		_, err = f.to.Write(piece[:count])
	}
	return piece[count:], err
}

// checkPayloadEnd checks the byte after a payload: unless it starts a new line, the length was wrong, and the line belongs to the
// payload.
func (f *Filter) checkPayloadEnd(piece []byte) (rest []byte, err error) {
	if piece[0] != '\n' && piece[0] != '\r' {
		f.takePart = (*Filter).takePayloadLine
		return piece, nil
	}
	return piece, f.endPayload()
}

// takePayloadLine copies or skips the rest of a line.
func (f *Filter) takePayloadLine(piece []byte) (rest []byte, err error) {
	if !f.skipsPayload {
		return f.passLine(piece)
	}
	line, rest := cutAfterLine(piece)
	if line[len(line)-1] == '\n' {
		err = f.endPayload()
	}
	return rest, err
}

// endPayload writes the header of an item whose payload was skipped, with a payload of length 0.
func (f *Filter) endPayload() error {
	f.takePart = (*Filter).gatherHeader
	if !f.skipsPayload {
		return nil
	}
	f.skipsPayload, f.skippedBytes, f.tail = false, 0, f.tail[:0]
	header, err := parseItemHeader(f.headerLine)
	if err != nil {
		return err // it was read before
	}
	f.headerLine = f.headerLine[:0]
	_, err = f.to.Write(makeEmptyItem(header.itemType))
	return err
}

// makeEmptyItem returns the header of an item without a payload. A type that is not in the protocol becomes unknown.
func makeEmptyItem(typ string) []byte {
	switch {
	case typ == "":
		return []byte("{\"length\":0}\n")
	case KindOf(typ) == Unknown:
		typ = "unknown"
	}
	return []byte("{\"type\":\"" + typ + "\",\"length\":0}\n")
}
