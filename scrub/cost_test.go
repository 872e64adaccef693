package scrub

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// pumpedTexts are short pieces that become an attacker's text when repeated: every sign, alone, beside letters and digits and
// beside every other sign, the mark of every token and the names of secrets before every separator.
func pumpedTexts() []string {
	pieces := append([]string{"a://b:c/", "a://b:c@", "api key: ", "token: ", "('token', ", `"token","x",`, "token 'x ", "-u a:b ",
		"-p ", "mysql -p", "VALUES ('", "\n token:\n  a", "$1$", "token=$(",
		"machine x login y password z ", "kind: Secret\ndata:\n  a: b\n", "data:\n", "values (", "(a,password) values (1,'x') "}, hostileTexts...)
	for a := byte(' '); a < 0x7F; a++ {
		if isAlnum(a) {
			continue
		}
		sign := string(rune(a))
		pieces = append(pieces, sign, sign+"a", "a"+sign, sign+"1", "1"+sign, "token"+sign, "token="+sign, "token"+sign+"x",
			sign+"token=", "token=x"+sign, "token:x"+sign)
		for b := byte(' '); b < 0x7F; b++ {
			if !isAlnum(b) {
				pieces = append(pieces, sign+string(rune(b)), sign+"a"+string(rune(b)), sign+"a"+string(rune(b))+"1")
			}
		}
	}
	for _, p := range providers {
		pieces = append(pieces, p.mark, p.mark+"0a", p.mark+" ", "a"+p.mark, fillerText[:p.minBefore]+p.mark)
	}
	return pieces
}

// TestNoTextCostsMuchMore compares the processor time per byte of every pumped text with a plain body. A text that seems too
// expensive is timed again, beside the plain body, because other work on the machine may have slowed it.
func TestNoTextCostsMuchMore(t *testing.T) {
	t.Parallel()
	const size, most, tries = 16 << 10, 8, 20
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r := DefaultRules()
	perByte := func(s string) float64 {
		start := threadTime(t)
		r.ScrubText(s)
		return float64(threadTime(t)-start) / float64(len(s))
	}
	plain := strings.Repeat(`{"id":88213,"note":"please ring twice","state":"paid","lines":[{"sku":"A-100","price":"12,50"}]} `, size/96)
	yardstick := perByte(plain)
	for range tries {
		yardstick = min(yardstick, perByte(plain))
	}
	for _, piece := range pumpedTexts() {
		s := strings.Repeat(piece, size/len(piece))
		ratio := perByte(s) / yardstick
		for try := 0; ratio > most/2 && try < tries; try++ {
			ratio = min(ratio, perByte(s)/perByte(plain))
		}
		if ratio > most/2 {
			t.Logf("%q costs %.1f times a plain text", piece, ratio)
		}
		require.LessOrEqual(t, ratio, float64(most), "%q", piece)
	}
}

// threadTime returns the processor time of this thread, without the time that other threads had the processor.
func threadTime(t *testing.T) time.Duration {
	var now unix.Timespec
	require.NoError(t, unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now))
	return time.Duration(now.Nano())
}

func BenchmarkPlainBody(b *testing.B) {
	benchmarkText(b, `{"id":88213,"note":"please ring twice","state":"paid"} `)
}
func BenchmarkSigns(b *testing.B) { benchmarkText(b, "@a") }
func BenchmarkNames(b *testing.B) { benchmarkText(b, "token:x;") }

func benchmarkText(b *testing.B, piece string) {
	s := strings.Repeat(piece, (64<<10)/len(piece))
	r := DefaultRules()
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		r.ScrubText(s)
	}
}
