package core

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// Page is a list on the wire. NextCursor gives the next page; it is null on the last one.
type Page[T any] struct {
	Data       List[T] `json:"data"`
	NextCursor Cursor  `json:"next_cursor" doc:"Pass it as cursor to get the next page; null on the last page."`
}

// Cursor is a place in a sorted list: opaque to clients, and only good for the sort that made it.
type Cursor string

// MarshalJSON writes the cursor, or null when there is no further page.
func (c Cursor) MarshalJSON() ([]byte, error) { return Untrusted(c).MarshalJSON() }

// JSONSchema is a text, or null at the end.
func (Cursor) JSONSchema() Schema { return nullable(Schema{"type": "string"}) }

type cursorBody struct {
	Sort string `json:"s"`
	Time int64  `json:"t"` // microseconds since 1970, the precision of the store
	ID   int64  `json:"i"`
}

// NewCursor makes the cursor that stands after the item with this time and id.
func NewCursor(sort string, at time.Time, id int64) Cursor {
	text, _ := json.Marshal(cursorBody{sort, at.UnixMicro(), id}) // numbers and a constant cannot fail
	return Cursor(base64.RawURLEncoding.EncodeToString(text))
}

var errCursor = errors.New("must be the next_cursor of an earlier page of the same list")

// Check tells whether the text is a cursor at all.
func (c Cursor) Check() error {
	_, err := c.body()
	return err
}

func (c Cursor) body() (cursorBody, error) {
	var body cursorBody
	if c == "" {
		return body, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(string(c))
	if err != nil || json.Unmarshal(text, &body) != nil || body.Sort == "" || body.ID < 0 || body.ID > maxID {
		return cursorBody{}, errCursor
	}
	if year := time.UnixMicro(body.Time).UTC().Year(); year < 1 || year > 9999 { // which no database column takes
		return cursorBody{}, errCursor
	}
	return body, nil
}

// After gives the time and id that the cursor stands after. A cursor of another sort is an invalid_request.
func (c Cursor) After(sort string) (at time.Time, id int64, err error) {
	body, err := c.body()
	if err != nil || c != "" && body.Sort != sort {
		return time.Time{}, 0, Invalid("cursor", "%s", errCursor)
	}
	return time.UnixMicro(body.Time).UTC(), body.ID, nil
}

// Paging is the part of an input that pages a list of 25 to 100.
type Paging struct {
	Limit  int    `json:"limit" doc:"How many to return." min:"1" max:"100" default:"25"`
	Cursor Cursor `json:"cursor,omitempty" doc:"next_cursor of the previous page."`
}

// Since is a point in time given as a duration back from now (30m, 24h, 7d) or as an ISO date or time.
type Since string

// JSONSchema is a text.
func (Since) JSONSchema() Schema { return Schema{"type": "string", "maxLength": 40} }

// Check tells whether the text is a duration or a time.
func (s Since) Check() error {
	_, err := s.Time(time.Unix(0, 0))
	return err
}

var sinceLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02"}

// Time gives the instant that is meant, seen from now; the zero time for an empty text.
func (s Since) Time(now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := ParseDuration(string(s)); err == nil {
		return now.Add(-d), nil
	}
	for _, layout := range sinceLayouts {
		if t, err := time.Parse(layout, string(s)); err == nil {
			return t, nil
		}
	}
	return time.Time{}, errors.New("must be a duration such as 30m, 24h or 7d, or an ISO date or time such as 2026-01-31 or 2026-01-31T12:00:00Z")
}

var durationForm = regexp.MustCompile(`^([0-9]{1,9})(s|m|h|d)$`)

// ParseDuration reads a number with s, m, h or d, the form of durations in configuration and queries (decisions 2).
// The longest is ten years.
func ParseDuration(text string) (time.Duration, error) {
	const longest = 3650 * 24 * time.Hour
	m := durationForm.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("%q is not a duration: write a number with s, m, h or d, such as 30m", text)
	}
	n, _ := strconv.ParseInt(m[1], 10, 64) // nine digits cannot fail
	unit := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}[m[2]]
	if n > int64(longest/unit) {
		return 0, fmt.Errorf("%q is longer than ten years", text)
	}
	return time.Duration(n) * unit, nil
}
