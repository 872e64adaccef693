package otlp

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
)

// Within sameMoment, the same exception in the same trace is one event, also in different requests. Within sameRecording, it is
// one on the same span of one request. Both in nanoseconds.
const (
	sameMoment    = 10e9
	sameRecording = 1e9
)

// identity distinguishes exceptions from each other.
type identity struct {
	trace, span string
	content     [sha256.Size]byte // type, message and service; without a trace the stack too
	at          uint64
}

// spanException is an exception on a span.
type spanException struct {
	trace, span string
	content     [sha256.Size]byte
}

// keepDistinct keeps one record of each exception. Its id is the same whenever the exception is sent again, so that a retried
// request stores nothing twice.
//
// The id is made of the trace, the type and the message, and the time in steps of ten seconds. Each span that an exception passes
// on its way up records it. Within a request the innermost record is kept; an outer span in a later request, or a log record,
// gets the same id. Spans that are not above each other, such as three attempts of a call, have separate exceptions, which are
// numbered. An exception without trace and time gets no id: each one is another event.
func (b *Batch) keepDistinct() {
	identities := b.identifyExceptions()
	passed := b.passedSpans(identities)
	recorded := map[spanException]uint64{}
	numbers := map[[sha256.Size]byte]uint64{}
	kept := b.found[:0]
	for i := range identities {
		id := &identities[i]
		if id.trace != "" && id.span != "" {
			on := spanException{id.trace, id.span, id.content}
			last, isRecorded := recorded[on]
			recorded[on] = id.at
			if isRecorded && timeBetween(last, id.at) < sameRecording || slices.ContainsFunc(passed[on], id.isAtMoment) {
				continue
			}
		}
		found := b.found[i]
		if id.trace != "" || id.at != 0 {
			sum := id.hashMoment()
			found.eventID = makeEventID(sum, numbers[sum])
			numbers[sum]++
		}
		kept = append(kept, found)
	}
	clear(b.found[len(kept):])
	b.found = kept
}

// identifyExceptions reads the identities of the exceptions. It rejects exceptions that cannot be read.
func (b *Batch) identifyExceptions() []identity {
	identities := make([]identity, 0, len(b.found))
	kept := b.found[:0]
	for _, found := range b.found {
		details, err := b.readException(&found)
		if err != nil {
			b.Failure = err
			b.rejectException("an exception could not be read")
			continue
		}
		if details.typ == "" && details.message == "" && details.stack == "" {
			if b.signal.Name == Traces.Name {
				b.rejectException(emptyReason)
			}
			continue
		}
		identities = append(identities, details.makeIdentity())
		kept = append(kept, found)
	}
	b.found = kept
	return identities
}

// passedSpans finds the spans above exceptions, which may record them again, with the times of the first records.
func (b *Batch) passedSpans(identities []identity) map[spanException][]uint64 {
	passed := map[spanException][]uint64{}
	for _, id := range identities {
		b.spans.eachAbove(id.trace, id.span, func(up string) bool {
			on := spanException{id.trace, up, id.content}
			if times := passed[on]; !slices.Contains(times, id.at) {
				passed[on] = append(times, id.at)
			}
			return true
		})
	}
	return passed
}

// isAtMoment reports whether an exception at another time may be the same one.
func (id *identity) isAtMoment(at uint64) bool { return timeBetween(id.at, at) < sameMoment }

func timeBetween(a, b uint64) uint64 { return max(a, b) - min(a, b) }

// makeIdentity returns the exception's identity. A log record often has the name of a type without its module, and some SDKs
// quote the message in one record and not in the other.
func (x *exception) makeIdentity() identity {
	id := identity{trace: x.trace, span: x.span, at: x.at}
	_, name := splitModule(x.typ)
	parts := []string{x.service, name, strings.Trim(strings.TrimSpace(x.message), `'"`)}
	if x.trace == "" {
		parts = append(parts, x.stack)
	}
	id.content = hashParts(parts...)
	return id
}

// hashMoment returns the hash behind the event's id.
func (id *identity) hashMoment() [sha256.Size]byte {
	at := id.at
	if id.trace != "" {
		at /= sameMoment
	}
	return hashParts(id.trace, string(binary.BigEndian.AppendUint64(nil, at)), string(id.content[:]))
}

func hashParts(parts ...string) [sha256.Size]byte {
	var buf []byte
	for _, part := range parts {
		buf = binary.AppendUvarint(buf, uint64(len(part)))
		buf = append(buf, part...)
	}
	return sha256.Sum256(buf)
}

func makeEventID(sum [sha256.Size]byte, number uint64) string {
	sum = hashParts("otlp", string(sum[:]), string(binary.AppendUvarint(nil, number)))
	return hex.EncodeToString(sum[:16])
}
