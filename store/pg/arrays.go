package pg

import (
	"encoding/binary"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// arrayCodec sends slices of T as arrays. It embeds the library's codec, which does everything else. The library's own
// sending takes an allocation or two for each element: three quarters of the allocations of a batch of events. No element is NULL.
type arrayCodec[T any] struct {
	*pgtype.ArrayCodec
	sizeElement   func(T) int
	appendElement func([]byte, T) []byte
}

// PlanEncode plans to send a slice.
func (c arrayCodec[T]) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := value.([]T); ok && format == pgtype.BinaryFormatCode {
		return c
	}
	return c.ArrayCodec.PlanEncode(m, oid, format, value)
}

// Encode appends a slice in the binary format of arrays: a header (one dimension, no NULL, the type, the length, the first
// index) and each element with its length before it.
func (c arrayCodec[T]) Encode(value any, buf []byte) ([]byte, error) {
	list := value.([]T)
	size := 5 * 4
	for _, element := range list {
		size += 4 + c.sizeElement(element)
	}
	buf = slices.Grow(buf, size) // once: growing with each element took half of the memory of a batch
	for _, n := range []uint32{1, 0, c.ElementType.OID, uint32(len(list)), 1} {
		buf = binary.BigEndian.AppendUint32(buf, n)
	}
	for _, element := range list {
		start := len(buf)
		buf = c.appendElement(append(buf, 0, 0, 0, 0), element)
		binary.BigEndian.PutUint32(buf[start:], uint32(len(buf)-start-4))
	}
	return buf, nil
}

// year2000 is where Postgres counts times from, in microseconds since 1970.
const year2000 = 946_684_800_000_000

// SendArrays makes arrayCodec send the arrays of the writer of events.
func SendArrays(types *pgtype.Map) {
	registerArray(types, "int8", func(int64) int { return 8 }, func(buf []byte, n int64) []byte {
		return binary.BigEndian.AppendUint64(buf, uint64(n))
	})
	registerArray(types, "timestamptz", func(time.Time) int { return 8 }, func(buf []byte, t time.Time) []byte {
		return binary.BigEndian.AppendUint64(buf, uint64(t.UnixMicro()-year2000))
	})
	registerArray(types, "text", func(s string) int { return len(s) }, func(buf []byte, s string) []byte { return append(buf, s...) })
	registerArray(types, "bytea", func(b []byte) int { return len(b) }, func(buf []byte, b []byte) []byte { return append(buf, b...) })
	registerArray(types, "uuid", func([16]byte) int { return 16 }, func(buf []byte, id [16]byte) []byte { return append(buf, id[:]...) })
}

func registerArray[T any](types *pgtype.Map, name string, sizeElement func(T) int, appendElement func([]byte, T) []byte) {
	element, _ := types.TypeForName(name)
	array, _ := types.TypeForName("_" + name)
	codec := arrayCodec[T]{&pgtype.ArrayCodec{ElementType: element}, sizeElement, appendElement}
	types.RegisterType(&pgtype.Type{Name: array.Name, OID: array.OID, Codec: codec})
}

// SplitColumns turns rows into three arrays, as unnest wants them.
func SplitColumns[T, A, B, C any](rows []T, split func(T) (A, B, C)) ([]A, []B, []C) {
	a, b, c := make([]A, len(rows)), make([]B, len(rows)), make([]C, len(rows))
	for i, row := range rows {
		a[i], b[i], c[i] = split(row)
	}
	return a, b, c
}

// ArrayText writes an array in the text format of Postgres. Arrays of different lengths cannot be sent as one array of
// arrays, but an array of their texts can.
func ArrayText(list []int32) string {
	text := make([]byte, 0, 12*len(list)+2)
	text = append(text, '{')
	for i, n := range list {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, int64(n), 10)
	}
	return string(append(text, '}'))
}
