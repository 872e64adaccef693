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

// Page is a list on the wire. NextCursor leads to the next page; it is null on the last one.
type Page[T any] struct {
	Data       List[T] `json:"data"`
	NextCursor Cursor  `json:"next_cursor" doc:"Pass it as cursor to get the next page; null on the last page."`
}

// SchemaName is empty: a page is written out, and its items have names.
func (Page[T]) SchemaName() string { return "" }

// Cursor is where the next page of a list begins. It is opaque to clients. A cursor of another sort or filter is refused.
type Cursor string

// MarshalJSON writes the cursor, or null on the last page.
func (c Cursor) MarshalJSON() ([]byte, error) { return Untrusted(c).MarshalJSON() }

// JSONSchema is a text, or null on the last page.
func (Cursor) JSONSchema() Schema { return orNull(Schema{"type": "string"}) }

// ListPosition is the meaning of a cursor: the last item of a page, with the values that the list is sorted by.
type ListPosition struct {
	Sort    string
	Filters uint32    // a digest of the list's filters; 0 for a list without filters
	Start   time.Time // the time when the first page was read; zero where that does not matter
	At      time.Time // the last item's time, in a list sorted by a time
	Score   float64   // the last item's score as of Start, in a list sorted by a score; above 0
	ID      int64
}

// cursorBody is a ListPosition on the wire; times are microseconds since 1970, the precision of the store.
type cursorBody struct {
	Sort    string  `json:"s"`
	Filters uint32  `json:"f,omitempty"`
	Start   int64   `json:"b,omitempty"`
	At      int64   `json:"t"`
	Score   float64 `json:"p,omitempty"`
	ID      int64   `json:"i"`
}

// Cursor makes the cursor of the position. The score must be finite.
func (p ListPosition) Cursor() Cursor {
	body := cursorBody{Sort: p.Sort, Filters: p.Filters, At: p.At.UnixMicro(), Score: p.Score, ID: p.ID}
	if !p.Start.IsZero() {
		body.Start = p.Start.UnixMicro()
	}
	text, _ := json.Marshal(body) // numbers and a constant cannot fail
	return Cursor(base64.RawURLEncoding.EncodeToString(text))
}

var errCursor = errors.New("must be the next_cursor of an earlier page of the same list with the same filters and sort")

// Check refuses a text that is not a cursor of any list.
func (c Cursor) Check() error {
	_, err := c.readPosition()
	return err
}

// readPosition reads the cursor of any list. An empty cursor is the zero position.
func (c Cursor) readPosition() (ListPosition, error) {
	if c == "" {
		return ListPosition{}, nil
	}
	var body cursorBody
	text, err := base64.RawURLEncoding.DecodeString(string(c))
	if err != nil || json.Unmarshal(text, &body) != nil || body.Sort == "" || body.ID < 0 || body.ID > maxID || body.Score < 0 {
		return ListPosition{}, errCursor
	}
	position := ListPosition{Sort: body.Sort, Filters: body.Filters, At: time.UnixMicro(body.At).UTC(), Score: body.Score, ID: body.ID}
	if body.Start != 0 {
		position.Start = time.UnixMicro(body.Start).UTC()
	}
	for _, year := range []int{position.At.Year(), position.Start.Year()} {
		if year < 1 || year > 9999 { // the time fits no database column
			return ListPosition{}, errCursor
		}
	}
	return position, nil
}

// Start returns the time when the first page of the list was read. It is now for the first page itself, and for lists where the time does
// not matter. A filter such as 24h counts from Start on every page, so that all pages belong to one list.
func (c Cursor) Start(now time.Time) time.Time {
	if position, err := c.readPosition(); err == nil && !position.Start.IsZero() {
		return position.Start
	}
	return now
}

// Position returns the position that the cursor stands for. A cursor of another sort or other filters is an invalid_request.
func (c Cursor) Position(sort string, filters uint32) (ListPosition, error) {
	position, err := c.readPosition()
	if err != nil || c != "" && (position.Sort != sort || position.Filters != filters) {
		return ListPosition{}, RefuseField("cursor", "%s", errCursor)
	}
	return position, nil
}

// Paging is the part of an input that pages a list: 25 items by default, at most 100.
type Paging struct {
	Limit  int    `json:"limit" doc:"How many to return." plain:"true" min:"1" max:"100" default:"25"`
	Cursor Cursor `json:"cursor,omitempty" doc:"next_cursor of the previous page." plain:"true" min:"1"`
}

// Since is a point in time given as a duration back from now (30m, 24h, 7d) or as an ISO date or time.
type Since string

// JSONSchema is a text.
func (Since) JSONSchema() Schema {
	return Schema{"type": "string", "minLength": int64(1), "maxLength": int64(40)}
}

// Check refuses a text that is neither a duration nor a time.
func (s Since) Check() error {
	_, err := s.Time(time.Unix(0, 0))
	return err
}

var sinceLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02"}

// Time returns the instant, relative to now; the zero time for an empty text.
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
	return time.Time{}, errors.New("must be a duration such as 30m, 24h or 7d, or an ISO date or time such as 2026-01-31 or " +
		"2026-01-31T12:00:00Z")
}

var durationForm = regexp.MustCompile(`^([0-9]{1,9})(s|m|h|d)$`)

// ParseDuration reads a number with the unit s, m, h or d, the form of durations in configuration and queries
// (decisions 2). The longest is ten years.
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
