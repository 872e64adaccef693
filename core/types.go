package core

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"time"
)

// Clock returns the time. It is passed in, so that tests can set the time.
type Clock func() time.Time

// TimeLayout is the form of times on the wire: RFC 3339 in UTC with milliseconds (decisions 1).
const TimeLayout = "2006-01-02T15:04:05.000Z"

// Time is an instant, written as TimeLayout; the zero time is null.
type Time struct{ time.Time }

// At makes a Time from t, in UTC and cut to milliseconds, the precision of the wire and of the store. RFC 3339 cannot
// write years after 9999, which only a broken clock sends: they become the zero time.
func At(t time.Time) Time {
	t = t.UTC()
	if year := t.Year(); t.IsZero() || year < 1 || year > 9999 {
		return Time{}
	}
	return Time{t.Truncate(time.Millisecond)}
}

// JSONSchema is a time, or null.
func (Time) JSONSchema() Schema { return orNull(Schema{"type": "string", "format": "date-time"}) }

// MarshalJSON writes TimeLayout, or null for the zero time.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return t.appendJSON(nil), nil
}

// appendJSON writes TimeLayout by hand: an event has dozens of times, and AppendFormat parses the layout for each of them.
func (t Time) appendJSON(b []byte) []byte {
	b = append(b, '"')
	u := t.UTC()
	year, month, day := u.Date()
	hour, minute, second := u.Clock()
	b = append(appendDigits(b, year, 4), '-')
	b = append(appendDigits(b, int(month), 2), '-')
	b = append(appendDigits(b, day, 2), 'T')
	b = append(appendDigits(b, hour, 2), ':')
	b = append(appendDigits(b, minute, 2), ':')
	b = append(appendDigits(b, second, 2), '.')
	b = appendDigits(b, u.Nanosecond()/1e6, 3)
	return append(b, 'Z', '"')
}

// appendDigits appends the last width digits of n, at most four.
func appendDigits(b []byte, n, width int) []byte {
	b = append(b, "0000"[:width]...)
	for i := range width {
		b[len(b)-1-i] += byte(n % 10)
		n /= 10
	}
	return b
}

// UnmarshalJSON reads any RFC 3339 time, or null.
func (t *Time) UnmarshalJSON(b []byte) error {
	var std time.Time
	if err := json.Unmarshal(b, &std); err != nil {
		return err
	}
	*t = At(std)
	return nil
}

// Scan reads a timestamp column; NULL is the zero time.
func (t *Time) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*t = Time{}
	case time.Time:
		*t = At(v)
	default:
		return fmt.Errorf("core.Time cannot hold a %T", src)
	}
	return nil
}

// Value writes a timestamp column; the zero time is NULL.
func (t Time) Value() (driver.Value, error) {
	if t.IsZero() {
		return nil, nil
	}
	return t.Time, nil
}

// Untrusted is text written by the monitored application, such as a title or a URL. It reaches a prompt only through a
// fence and a page only escaped. Empty text is null on the wire (decisions 1).
type Untrusted string

// JSONSchema is a text, or null.
func (Untrusted) JSONSchema() Schema { return orNull(Schema{"type": "string"}) }

// MarshalJSON writes the text, or null when it is empty.
func (u Untrusted) MarshalJSON() ([]byte, error) {
	if u == "" {
		return []byte("null"), nil
	}
	return marshalPlain(string(u))
}

// Text is a string of Errand's own (a name, a note, a version) whose empty value is null on the wire.
type Text string

// JSONSchema is a text, or null.
func (Text) JSONSchema() Schema { return Untrusted("").JSONSchema() }

// MarshalJSON writes the text, or null when it is empty.
func (t Text) MarshalJSON() ([]byte, error) { return Untrusted(t).MarshalJSON() }

// OptInt is a whole number whose zero means absent and is null on the wire, such as a line number or the target of a merge.
type OptInt int64

// JSONSchema is a whole number, or null.
func (OptInt) JSONSchema() Schema { return orNull(Schema{"type": "integer"}) }

// MarshalJSON writes the number, or null for zero.
func (n OptInt) MarshalJSON() ([]byte, error) {
	if n == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(int64(n))
}

// List is a slice that is [] on the wire when it is empty, never null (decisions 1).
type List[T any] []T

// MarshalJSON writes a JSON array. An empty text in it, such as a blank line of source, stays "" and does not become null.
func (l List[T]) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	if texts, ok := any(l).(List[Untrusted]); ok {
		plain := make([]string, len(texts))
		for i, text := range texts {
			plain[i] = string(text)
		}
		return marshalPlain(plain)
	}
	return marshalPlain([]T(l))
}

// Opt is a field of a change: absent (Set is false), null (Set and Null), or a value.
type Opt[T any] struct {
	Set, Null bool
	Value     T
}

// UnmarshalJSON is called only for a field that is present.
func (o *Opt[T]) UnmarshalJSON(b []byte) error {
	*o = Opt[T]{Set: true}
	if bytes.Equal(b, []byte("null")) {
		o.Null = true
		return nil
	}
	return json.Unmarshal(b, &o.Value)
}

// valueType is the type of the value.
func (Opt[T]) valueType() reflect.Type { return reflect.TypeFor[T]() }

// ValueOrNil returns the value, or nil for null.
func (o Opt[T]) ValueOrNil() *T {
	if o.Null {
		return nil
	}
	return &o.Value
}

// Check runs the check of the value, if there is a value and its type has a check.
func (o Opt[T]) Check() error {
	if c, ok := any(o.Value).(checker); ok && o.Set && !o.Null {
		return c.Check()
	}
	return nil
}

// Secret is a token, key or password. It prints as [redacted]; only Reveal returns the text.
type Secret string

const redacted = "[redacted]"

// Reveal returns the text itself, for the one place that needs it.
func (s Secret) Reveal() string { return string(s) }

// String returns [redacted], or nothing for an empty secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return redacted
}

// Format prints the same for every verb: with String alone, the complaint of %d would print the text.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue keeps slog from printing the text.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalJSON keeps the text out of larger values that are marshalled.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// marshalPlain is json.Marshal without the escapes of <, > and &. Only pages need those, and they escape on their own.
func marshalPlain(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
