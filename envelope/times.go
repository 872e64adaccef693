package envelope

import (
	"math"
	"strconv"
	"strings"
	"time"

	"errand/core"
)

// The event time rule of decisions 3: an event's own time counts only within this span around its receipt.
const (
	maxAhead  = time.Minute
	maxBehind = 30 * 24 * time.Hour
)

// readTimestamp reads a time in any form that SDKs use: seconds as a number or its text, or RFC 3339. Null is the zero time.
func (d *decoder) readTimestamp(field string) time.Time {
	if d.skipNull() {
		return time.Time{}
	}
	t, ok := parseTime(string(d.readText()))
	if !ok && d.json.err == nil {
		d.addProblem(field, "not a time: neither seconds since 1970 nor RFC 3339")
	}
	return t
}

// parseTime reads seconds since 1970 (milliseconds when the number makes no other sense), or RFC 3339 with up to nine digits of a
// second, where a missing zone means UTC.
func parseTime(text string) (time.Time, bool) {
	if t, ok := parseSeconds(text); ok {
		return t, true
	}
	text = strings.TrimSpace(text)
	if strings.IndexByte(text, ':') < 0 {
		return parseNumber(text)
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return requireWritable(t)
	}
	text = strings.ToUpper(strings.Replace(text, " ", "T", 1))
	for _, layout := range [...]string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04"} {
		if t, err := time.Parse(layout, text); err == nil {
			return requireWritable(t)
		}
	}
	return time.Time{}, false
}

// parseSeconds reads the form that most SDKs send, 1767464570.123, without going through a double.
func parseSeconds(text string) (time.Time, bool) {
	whole := countDigits(text)
	if whole == 0 || whole > 10 {
		return time.Time{}, false
	}
	seconds, nanos := int64(0), int64(0)
	for i := range whole {
		seconds = seconds*10 + int64(text[i]-'0')
	}
	if whole < len(text) {
		part := text[whole+1:]
		if text[whole] != '.' || countDigits(part) < len(part) {
			return time.Time{}, false
		}
		for i := range 9 {
			if nanos *= 10; i < len(part) {
				nanos += int64(part[i] - '0')
			}
		}
	}
	return time.Unix(seconds, nanos), seconds > 0
}

// parseNumber reads any other number.
func parseNumber(text string) (time.Time, bool) {
	seconds, err := strconv.ParseFloat(text, 64)
	if err == nil && seconds >= 1e11 {
		seconds /= 1000
	}
	if err != nil || !(seconds > 0 && seconds < 1e11) {
		return time.Time{}, false
	}
	whole, part := math.Modf(seconds)
	return time.Unix(int64(whole), int64(math.Round(part*1e6))*1000), true // a double is exact only to microseconds
}

// requireWritable accepts a time that RFC 3339 can write in UTC, where years have four digits.
func requireWritable(t time.Time) (time.Time, bool) {
	const year1, year10000 = -62135596800, 253402300800
	if t.Unix() < year1 || t.Unix() >= year10000 {
		return time.Time{}, false
	}
	return t, true
}

// setTimes applies the event time rule.
func (d *decoder) setTimes(received time.Time) {
	event := d.event
	event.ReceivedAt = core.At(received)
	event.Timestamp = core.At(d.sentAt)
	switch {
	case d.sentAt.IsZero():
	case d.sentAt.After(received.Add(maxAhead)):
		addProblem(event, "timestamp", "more than 1 minute ahead of the receipt, whose time was taken instead")
	case d.sentAt.Before(received.Add(-maxBehind)):
		addProblem(event, "timestamp", "more than 30 days before the receipt, whose time was taken instead")
	default:
		return
	}
	event.Timestamp = event.ReceivedAt
}
