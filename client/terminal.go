package client

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"

	"errand/wire"
)

// NewStreams returns the streams of the process. A pipe has no width, so COLUMNS sets it.
func NewStreams() Streams {
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	if width <= 0 {
		width, _ = strconv.Atoi(os.Getenv("COLUMNS")) // 0 on failure: the usual width
		width = max(width, 0)
	}
	return Streams{In: os.Stdin, Out: os.Stdout, Notes: os.Stderr, IsTerminal: err == nil, Width: width}
}

// escapeHidden returns equivalent JSON where the characters that wire.IsHidden finds are escaped. Outside of its
// texts, JSON has no hidden characters but line ends.
func escapeHidden(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case !wire.IsHidden(r) || r == '\n' || r == '\t':
			b.WriteRune(r)
		case r > 0xffff:
			high, low := (r-0x10000)>>10+0xd800, (r-0x10000)&0x3ff+0xdc00
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
