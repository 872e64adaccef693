package web

import (
	"fmt"
	"strconv"
	"strings"
)

// writeCount writes a whole number with separators of thousands: 1,204.
func writeCount(n any) string {
	digits := fmt.Sprint(n)
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// writePlural writes a number with its noun: 1 user, 2 users.
func writePlural(n any, one, many string) string {
	digits := writeCount(n)
	if digits == "1" {
		return digits + " " + one
	}
	return digits + " " + many
}

// writeMinutes writes a number of minutes as people say it: 41 min, 1 h 20 min, 3 days.
func writeMinutes(minutes int64) string {
	switch {
	case minutes < 60:
		return strconv.FormatInt(minutes, 10) + " min"
	case minutes >= 48*60:
		return writePlural(minutes/(24*60), "day", "days")
	case minutes%60 == 0 || minutes >= 10*60:
		return strconv.FormatInt(minutes/60, 10) + " h"
	default:
		return fmt.Sprintf("%d h %d min", minutes/60, minutes%60)
	}
}
