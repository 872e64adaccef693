package grouping

import "strings"

// timeLength returns the length of the date, time of day or both at the start of text, with their zone; 0 without any. A time
// alone needs its seconds, and does not follow a colon, as lines and columns do.
func timeLength(text string, afterColon bool) int {
	if text == "" || !isDigit(rune(text[0])) && (text[0] < 'A' || text[0] > 'Z') {
		return 0
	}
	length := weekdayLength(text)
	date := dateLength(text[length:])
	if date == 0 {
		if length > 0 || afterColon {
			return 0
		}
		if length = clockLength(text, true); length == 0 {
			return 0
		}
		return length + zoneLength(text[length:])
	}
	length += date
	if length < len(text) && strings.IndexByte("T t_:,", text[length]) >= 0 {
		at := length + 1
		if text[length] == ',' && at < len(text) && text[at] == ' ' {
			at++
		}
		if clock := clockLength(text[at:], false); clock > 0 {
			length = at + clock
			length += zoneLength(text[length:])
		}
	}
	return length + yearLength(text[length:])
}

// dateLength reads 2024-01-31, 2024/1/31, 20240131T (before a time), 31.01.2024, 31/Jan/2024, 31 Jan 2024, Jan 31, 2024 and Jan 31.
func dateLength(text string) int {
	if !isDigit(rune(text[0])) {
		return monthFirstLength(text)
	}
	digits := digitsAt(text, 0)
	switch {
	case digits == 8 && len(text) > 8 && text[8] == 'T' && digitsAt(text, 9) >= 4:
		return 8
	case digits > 4 || digits == 3 || digits == len(text):
		return 0
	}
	separator := text[digits]
	if strings.IndexByte("-/. ", separator) < 0 {
		return 0
	}
	length := digits + 1
	if digits < 3 {
		if month := monthLength(text[length:]); month > 0 {
			length += month
			if length < len(text) && text[length] == separator && digitsAt(text, length+1) == 4 {
				return length + 5
			}
			return 0
		}
	}
	if separator == ' ' {
		return 0
	}
	second := digitsAt(text, length)
	length += second
	if second == 0 || second > 2 || length >= len(text) || text[length] != separator {
		return 0
	}
	third := digitsAt(text, length+1)
	if digits == 4 && (third == 1 || third == 2) || digits < 3 && third == 4 {
		return length + 1 + third
	}
	return 0
}

// monthFirstLength reads "Jan 31, 2024" and "Jan 31"; a year after the time is left to yearLength.
func monthFirstLength(text string) int {
	length := monthLength(text)
	if length == 0 || length >= len(text) || text[length] != ' ' {
		return 0
	}
	for length < len(text) && text[length] == ' ' { // ctime pads the day
		length++
	}
	day := digitsAt(text, length)
	if day == 0 || day > 2 {
		return 0
	}
	length += day
	if strings.HasPrefix(text[length:], ", ") && digitsAt(text, length+2) == 4 {
		return length + 6
	}
	return length
}

// clockLength reads 22:31, 22:31:45, 22:31:45.123456 and 22:31:45,123; also 223145 after a T.
func clockLength(text string, needsSeconds bool) int {
	hour := digitsAt(text, 0)
	if hour >= 4 && hour <= 6 && !needsSeconds {
		return hour
	}
	if hour == 0 || hour > 2 || hour >= len(text) || text[hour] != ':' || digitsAt(text, hour+1) != 2 {
		return 0
	}
	length := hour + 3
	if length >= len(text) || text[length] != ':' || digitsAt(text, length+1) != 2 {
		if needsSeconds {
			return 0
		}
		return length
	}
	length += 3
	if length+1 < len(text) && (text[length] == '.' || text[length] == ',') && isDigit(rune(text[length+1])) {
		length += 1 + digitsAt(text, length+1)
	}
	return length
}

// zoneLength reads the suffix of a time of day: Z, UTC, +01:00, -0700, AM, PM, and Go's "+0000 UTC m=+0.1".
func zoneLength(text string) int {
	length := 0
	for {
		at := length
		for at < len(text) && text[at] == ' ' {
			at++
		}
		zone := 0
		for _, name := range [...]string{"Z", "UTC", "GMT", "AM", "PM", "am", "pm", "CET", "CEST", "EST", "EDT", "PST", "PDT"} {
			if strings.HasPrefix(text[at:], name) && (at+len(name) == len(text) || !isWord(text[at+len(name)])) {
				zone = len(name)
			}
		}
		switch {
		case zone > 0:
		case at < len(text) && (text[at] == '+' || text[at] == '-') && digitsAt(text, at+1) == 4:
			zone = 5
		case at < len(text) && (text[at] == '+' || text[at] == '-') && digitsAt(text, at+1) == 2 && at+3 < len(text) &&
			text[at+3] == ':' && digitsAt(text, at+4) == 2:
			zone = 6
		case strings.HasPrefix(text[at:], "m=+") || strings.HasPrefix(text[at:], "m=-"):
			zone = 3 + numberLength(text[at+3:])
		default:
			return length
		}
		length = at + zone
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
func weekdayLength(text string) int {
	for _, day := range [...]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"} {
		if length := nameLength(text, day); length > 0 {
			if length < len(text) && text[length] == ',' {
				length++
			}
			if length+1 < len(text) && text[length] == ' ' && (isDigit(rune(text[length+1])) || monthLength(text[length+1:]) > 0) {
				return length + 1
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

// nameLength returns the length of a name at the start of text, whole or as its first three letters; 0 when it is absent.
func nameLength(text, name string) int {
	const short = 3
	if len(text) < short || text[:short] != name[:short] {
		return 0
	}
	if len(text) >= len(name) && text[:len(name)] == name && (len(text) == len(name) || !isWord(text[len(name)])) {
		return len(name)
	}
	if len(text) == short || !isWord(text[short]) {
		return short
	}
	return 0
}
