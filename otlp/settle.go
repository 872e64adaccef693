package otlp

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
)

// sameMoment is within which time the same exception in the same trace is one event, also when it comes in different
// requests; sameRecording is within which time it is one on the same span of one request. Both in nanoseconds.
const (
	sameMoment    = 10e9
	sameRecording = 1e9
)

// identity is what tells exceptions apart.
type identity struct {
	trace, span string
	what        [sha256.Size]byte // type, message and service; without a trace the stack too
	at          uint64
}

// place is an exception on a span.
type place struct {
	trace, span string
	what        [sha256.Size]byte
}

// settle leaves one of each exception and names it by an id that is the same whenever it is sent again, so that a retried
// request stores nothing twice.
//
// The id is made of the trace, the type and the message, and the time in steps of ten seconds. An exception that goes up
// through several spans is recorded by each: within a request the innermost is kept, whose id that of an outer span in a later
// request, or that of a log record, is the same. Spans that are not above each other, such as three attempts of a call, have
// exceptions of their own, which are numbered.
func (b *Batch) settle() {
	identities := b.identify()
	passed := b.passedSpans(identities)
	recorded := map[place]uint64{}
	numbers := map[[sha256.Size]byte]uint64{}
	kept := b.found[:0]
	for i := range identities {
		id := &identities[i]
		if id.trace != "" && id.span != "" {
			at := place{id.trace, id.span, id.what}
			last, again := recorded[at]
			if recorded[at] = id.at; passed[at] || again && distance(last, id.at) < sameRecording {
				continue
			}
		}
		sum := id.sum()
		f := b.found[i]
		f.eventID = eventID(sum, numbers[sum])
		numbers[sum]++
		kept = append(kept, f)
	}
	clear(b.found[len(kept):])
	b.found = kept
}

// identify reads what tells the exceptions apart. Those that cannot be read are rejected.
func (b *Batch) identify() []identity {
	identities := make([]identity, 0, len(b.found))
	kept := b.found[:0]
	for _, f := range b.found {
		x, err := b.exception(&f)
		if err != nil {
			b.reject("an exception could not be read: " + err.Error())
			continue
		}
		if x.typ == "" && x.message == "" && x.stack == "" {
			if b.signal.Name == Traces.Name {
				b.reject("an exception has neither type nor message nor stacktrace")
			}
			continue
		}
		identities = append(identities, x.identity())
		kept = append(kept, f)
	}
	b.found = kept
	return identities
}

// passedSpans finds where exceptions were recorded once more by the spans above.
func (b *Batch) passedSpans(identities []identity) map[place]bool {
	passed := map[place]bool{}
	for _, id := range identities {
		b.spans.ascend(id.trace, id.span, func(up string) bool {
			passed[place{id.trace, up, id.what}] = true
			return true
		})
	}
	return passed
}

func distance(a, b uint64) uint64 { return max(a, b) - min(a, b) }

// identity returns what tells the exception from others. A log record often has the name of a type without its module, and
// some SDKs quote the message in one place and not in the other.
func (x *exception) identity() identity {
	id := identity{trace: x.trace, span: x.span, at: x.at}
	_, name := splitModule(x.typ)
	parts := []string{x.service, name, strings.Trim(strings.TrimSpace(x.message), `'"`)}
	if x.trace == "" {
		parts = append(parts, x.stack)
	}
	id.what = sumOf(parts...)
	return id
}

// sum is what the event's id is made of.
func (id *identity) sum() [sha256.Size]byte {
	at := id.at
	if id.trace != "" {
		at /= sameMoment
	}
	return sumOf(id.trace, string(binary.BigEndian.AppendUint64(nil, at)), string(id.what[:]))
}

func sumOf(parts ...string) [sha256.Size]byte {
	var b []byte
	for _, part := range parts {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	return sha256.Sum256(b)
}

func eventID(sum [sha256.Size]byte, number uint64) string {
	sum = sumOf("otlp", string(sum[:]), string(binary.AppendUvarint(nil, number)))
	return hex.EncodeToString(sum[:16])
}
