package manage

import (
	"errors"
	"time"

	"errand/core"
)

// Time is an instant on the wire of the management API: ISO 8601 in UTC with whole seconds; the zero time is null.
type Time struct{ core.Time }

// timeLayout is the form of times in this API (management API, 1.1).
const timeLayout = "2006-01-02T15:04:05Z"

// At makes a Time from a time of the store.
func At(t core.Time) Time { return Time{t} }

// MarshalJSON writes whole seconds, or null for the zero time.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + t.UTC().Format(timeLayout) + `"`), nil
}

// Date is a day, such as 2026-01-31, or a time, which stands for its day. Days are in UTC.
type Date string

// JSONSchema is a text; Check says what is wrong with it.
func (Date) JSONSchema() core.Schema { return core.Schema{"type": "string", "maxLength": 40} }

// Check refuses a text that is not a date.
func (d Date) Check() error {
	if _, err := d.Day(); err != nil {
		return errors.New("must be a date, such as 2026-01-31")
	}
	return nil
}

// Day returns the start of the day; the zero time for an empty date.
func (d Date) Day() (time.Time, error) {
	if d == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		at, err = time.Parse(time.RFC3339, string(d))
	}
	return at.UTC().Truncate(24 * time.Hour), err
}

// Numbering pages a list by page numbers.
type Numbering struct {
	Page    int64 `json:"page" doc:"The page, from 1 on." min:"1" default:"1"`
	PerPage int64 `json:"per_page" doc:"Items on a page; more than 100 are 100." min:"1" default:"25"`
}

// maxPerPage is the upper bound of per_page (management API, 1.4).
const maxPerPage = 100

// Limit returns the most items that the page has.
func (n Numbering) Limit() int64 { return min(n.PerPage, maxPerPage) }

// Offset returns how many items come before the page.
func (n Numbering) Offset() int64 { return (n.Page - 1) * n.Limit() }

// Pagination says which page of a list this is.
type Pagination struct {
	Page       int64 `json:"page"`
	PerPage    int64 `json:"per_page"`
	Total      int64 `json:"total" doc:"Items on all pages."`
	TotalPages int64 `json:"total_pages"`
}

// Pages is one page of a numbered list.
type Pages[T any] struct {
	Data       core.List[T] `json:"data"`
	Pagination Pagination   `json:"pagination"`
}

// SchemaName is empty: the items have a name.
func (Pages[T]) SchemaName() string { return "" }

// NewPages makes a page of a list; total counts the items of all pages.
func NewPages[T any](n Numbering, items []T, total int64) Pages[T] {
	size := n.Limit()
	return Pages[T]{items, Pagination{Page: n.Page, PerPage: size, Total: total, TotalPages: (total + size - 1) / size}}
}

// AppText is text of the monitored app. Unlike core.Untrusted it is not marked in answers: the shapes of this API are
// fixed, and its readers are programs for people. Empty text is null.
type AppText string

// JSONSchema is a text, or null.
func (AppText) JSONSchema() core.Schema { return core.Untrusted("").JSONSchema() }

// MarshalJSON writes the text, or null when it is empty.
func (t AppText) MarshalJSON() ([]byte, error) { return core.Untrusted(t).MarshalJSON() }
