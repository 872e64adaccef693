package sourcemap

import (
	"strings"

	"errand/sourcemap/functions"
)

// maxScanned bounds the text of a source that is searched for functions, in bytes. Hand-written code is far smaller, and reading
// this much takes some 100 ms (make bench-sourcemap measures it).
const maxScanned = 4 << 20

// Function is the function around a position, found in the text of its source.
type Function struct {
	Name  string // empty for an anonymous one, and outside of all functions
	Class string // the class around it, empty without one
}

// FindFunction returns the function around a position. It finds none when the map has no content for the source or too much, or
// when the source is in another language. Each source is read once, as a whole; its functions stay in the cache.
func (x *Index) FindFunction(p *Position) (f Function, found bool, err error) {
	size := int64(p.source.rawEnd) - int64(p.source.rawStart)
	if !p.hasContent || size > maxScanned || !functions.IsCode(p.Source) {
		return Function{}, false, nil
	}
	table, err := x.cache.findOnce(pageKey{hash: x.header.hash, kind: functionPage, number: p.source.rawStart}, func() ([]byte, error) {
		text, err := x.readContent(&p.source)
		if err != nil {
			return nil, err
		}
		return functions.Scan(text, p.Source), nil
	})
	if err != nil {
		return Function{}, false, err
	}
	at := functions.Table(table).Find(uint32(p.Line-1), uint32(p.Column-1))
	return Function{strings.ToValidUTF8(at.Name, "\ufffd"), strings.ToValidUTF8(at.Class, "\ufffd")}, true, nil
}

// readContent returns the text of a source.
func (x *Index) readContent(source *sourceEntry) ([]byte, error) {
	if source.rawStart > source.rawEnd || int64(source.rawEnd) > x.header.rawContents {
		return nil, refuseIndex("a source's content is outside of the contents")
	}
	text := make([]byte, 0, source.rawEnd-source.rawStart)
	for at := int64(source.rawStart); at < int64(source.rawEnd); {
		block, err := x.unpackBlock(at / contentBlock)
		if err != nil {
			return nil, err
		}
		part := block[at%contentBlock:]
		part = part[:min(int64(len(part)), int64(source.rawEnd)-at)]
		text, at = append(text, part...), at+int64(len(part))
	}
	return text, nil
}
