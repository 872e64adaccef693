package web

import (
	"strconv"
	"time"

	"errand/core"
)

// moment is an instant as a page shows it: the component "ago" shows how long it is ago, "date" the day and the time. The script turns
// both to the zone of the reader; UTC stands in the title.
type moment struct {
	At  core.Time
	Now time.Time
}

// Exact is the instant in UTC, to the second.
func (m moment) Exact() string { return m.At.UTC().Format("2006-01-02 15:04:05") + " UTC" }

// Machine is the instant for the attribute datetime.
func (m moment) Machine() string { return m.At.UTC().Format(time.RFC3339) }

// Precise is Machine to the millisecond.
func (m moment) Precise() string { return m.At.Format(core.TimeLayout) }

// Clock is the time of the day in UTC to the millisecond: 09:12:04.120.
func (m moment) Clock() string { return m.At.UTC().Format("15:04:05.000") }

// IsNever reports whether the instant is the zero time.
func (m moment) IsNever() bool { return m.At.IsZero() }

// Ago is the time since the instant, without the word "ago": 3 min.
func (m moment) Ago() string {
	minutes := int64(m.Now.Sub(m.At.Time) / time.Minute)
	switch {
	case minutes < 1:
		return "<1 min"
	case minutes < 60:
		return strconv.FormatInt(minutes, 10) + " min"
	case minutes < 48*60:
		return strconv.FormatInt(minutes/60, 10) + " h"
	case minutes < 60*24*60:
		return writePlural(minutes/(24*60), "day", "days")
	default:
		return writePlural(minutes/(30*24*60), "month", "months")
	}
}

// Date is the day and the time in UTC: Nov 19, 10:04; with the year when it is another one.
func (m moment) Date() string {
	layout := "Jan 2, 15:04"
	if m.At.UTC().Year() != m.Now.UTC().Year() {
		layout = "Jan 2 2006, 15:04"
	}
	return m.At.UTC().Format(layout)
}
