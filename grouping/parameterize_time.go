package grouping

import "strings"

// timeLength returns the length of the date, time of day or both at the start of s, with their zone; 0 when there is
// none. A lone time needs its seconds, and is none after a colon, where lines and columns are.
func timeLength(s string, afterColon bool) int {
	if s == "" || !isDigit(rune(s[0])) && (s[0] < 'A' || s[0] > 'Z') {
		return 0
	}
	n := weekdayLength(s)
	date := dateLength(s[n:])
	if date == 0 {
		if n > 0 || afterColon {
			return 0
		}
		if n = clockLength(s, true); n == 0 {
			return 0
		}
		return n + zoneLength(s[n:])
	}
	n += date
	if n < len(s) && strings.IndexByte("T t_:,", s[n]) >= 0 {
		at := n + 1
		if s[n] == ',' && at < len(s) && s[at] == ' ' {
			at++
		}
		if clock := clockLength(s[at:], false); clock > 0 {
			n = at + clock
			n += zoneLength(s[n:])
		}
	}
	return n + yearLength(s[n:])
}

// dateLength reads 2024-01-31, 2024/1/31, 20240131T (before a time), 31.01.2024, 31/Jan/2024, 31 Jan 2024, Jan 31, 2024 and Jan 31.
func dateLength(s string) int {
	if !isDigit(rune(s[0])) {
		return monthFirstLength(s)
	}
	digits := digitsAt(s, 0)
	switch {
	case digits == 8 && len(s) > 8 && s[8] == 'T' && digitsAt(s, 9) >= 4:
		return 8
	case digits > 4 || digits == 3 || digits == len(s):
		return 0
	}
	separator := s[digits]
	if strings.IndexByte("-/. ", separator) < 0 {
		return 0
	}
	n := digits + 1
	if digits < 3 {
		if month := monthLength(s[n:]); month > 0 {
			n += month
			if n < len(s) && s[n] == separator && digitsAt(s, n+1) == 4 {
				return n + 5
			}
			return 0
		}
	}
	if separator == ' ' {
		return 0
	}
	second := digitsAt(s, n)
	n += second
	if second == 0 || second > 2 || n >= len(s) || s[n] != separator {
		return 0
	}
	third := digitsAt(s, n+1)
	if digits == 4 && (third == 1 || third == 2) || digits < 3 && third == 4 {
		return n + 1 + third
	}
	return 0
}

// monthFirstLength reads "Jan 31, 2024" and "Jan 31"; a year behind the time is left to yearLength.
func monthFirstLength(s string) int {
	n := monthLength(s)
	if n == 0 || n >= len(s) || s[n] != ' ' {
		return 0
	}
	for n < len(s) && s[n] == ' ' { // ctime pads the day
		n++
	}
	day := digitsAt(s, n)
	if day == 0 || day > 2 {
		return 0
	}
	n += day
	if strings.HasPrefix(s[n:], ", ") && digitsAt(s, n+2) == 4 {
		return n + 6
	}
	return n
}

// clockLength reads 22:31, 22:31:45, 22:31:45.123456 and 22:31:45,123; also 223145 behind a T.
func clockLength(s string, needsSeconds bool) int {
	hour := digitsAt(s, 0)
	if hour >= 4 && hour <= 6 && !needsSeconds {
		return hour
	}
	if hour == 0 || hour > 2 || hour >= len(s) || s[hour] != ':' || digitsAt(s, hour+1) != 2 {
		return 0
	}
	n := hour + 3
	if n >= len(s) || s[n] != ':' || digitsAt(s, n+1) != 2 {
		if needsSeconds {
			return 0
		}
		return n
	}
	n += 3
	if n+1 < len(s) && (s[n] == '.' || s[n] == ',') && isDigit(rune(s[n+1])) {
		n += 1 + digitsAt(s, n+1)
	}
	return n
}

// zoneLength reads what follows a time of day: Z, UTC, +01:00, -0700, AM, PM, and Go's "+0000 UTC m=+0.1".
func zoneLength(s string) int {
	n := 0
	for {
		at := n
		for at < len(s) && s[at] == ' ' {
			at++
		}
		zone := 0
		for _, name := range [...]string{"Z", "UTC", "GMT", "AM", "PM", "am", "pm", "CET", "CEST", "EST", "EDT", "PST", "PDT"} {
			if strings.HasPrefix(s[at:], name) && (at+len(name) == len(s) || !isWord(s[at+len(name)])) {
				zone = len(name)
			}
		}
		switch {
		case zone > 0:
		case at < len(s) && (s[at] == '+' || s[at] == '-') && digitsAt(s, at+1) == 4:
			zone = 5
		case at < len(s) && (s[at] == '+' || s[at] == '-') && digitsAt(s, at+1) == 2 && at+3 < len(s) && s[at+3] == ':' && digitsAt(s, at+4) == 2:
			zone = 6
		case strings.HasPrefix(s[at:], "m=+") || strings.HasPrefix(s[at:], "m=-"):
			zone = 3 + numberLength(s[at+3:])
		default:
			return n
		}
		n = at + zone
	}
}

// yearLength reads the year that ctime puts last: " 2019".
func yearLength(s string) int {
	if len(s) > 4 && s[0] == ' ' && digitsAt(s, 1) == 4 && (s[1] == '1' && s[2] == '9' || s[1] == '2' && s[2] == '0') {
		return 5
	}
	return 0
}

// weekdayLength reads "Wed, " or "Wednesday " when a date may follow.
func weekdayLength(s string) int {
	for _, day := range [...]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"} {
		if n := nameLength(s, day); n > 0 {
			if n < len(s) && s[n] == ',' {
				n++
			}
			if n+1 < len(s) && s[n] == ' ' && (isDigit(rune(s[n+1])) || monthLength(s[n+1:]) > 0) {
				return n + 1
			}
			return 0
		}
	}
	return 0
}

func monthLength(s string) int {
	for _, month := range [...]string{"January", "February", "March", "April", "May", "June", "July", "August", "September",
		"October", "November", "December"} {
		if n := nameLength(s, month); n > 0 {
			return n
		}
	}
	return 0
}

// nameLength returns the length of a name at the start of s, whole or as its first three letters; 0 when it is not there.
func nameLength(s, name string) int {
	const short = 3
	if len(s) < short || s[:short] != name[:short] {
		return 0
	}
	if len(s) >= len(name) && s[:len(name)] == name && (len(s) == len(name) || !isWord(s[len(name)])) {
		return len(name)
	}
	if len(s) == short || !isWord(s[short]) {
		return short
	}
	return 0
}
