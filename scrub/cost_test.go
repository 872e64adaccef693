package scrub

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pumped are short pieces that make an attacker's text when they are repeated: every sign, alone, beside letters and
// digits and beside every other sign, the mark of every token and the names of secrets before every separator.
func pumped() []string {
	pieces := append([]string{"a://b:c/", "a://b:c@", "api key: ", "token: ", "('token', ", `"token","x",`, "token 'x ", "-u a:b ", "-p ", "mysql -p", "VALUES ('", "\n token:\n  a", "$1$", "token=$("}, hostile...)
	for a := byte(' '); a < 0x7F; a++ {
		if isAlnum(a) {
			continue
		}
		sign := string(rune(a))
		pieces = append(pieces, sign, sign+"a", "a"+sign, sign+"1", "1"+sign, "token"+sign, "token="+sign, "token"+sign+"x", sign+"token=", "token=x"+sign, "token:x"+sign)
		for b := byte(' '); b < 0x7F; b++ {
			if !isAlnum(b) {
				pieces = append(pieces, sign+string(rune(b)), sign+"a"+string(rune(b)), sign+"a"+string(rune(b))+"1")
			}
		}
	}
	for _, p := range providers {
		pieces = append(pieces, p.mark, p.mark+"0a", p.mark+" ", "a"+p.mark, filler[:p.before]+p.mark)
	}
	return pieces
}

// TestNoTextCostsMuchMore holds the time for a byte of every pumped text against that of a plain body. Each is timed
// again until it is within the bound, as other work on the machine may have cost the time.
func TestNoTextCostsMuchMore(t *testing.T) {
	t.Parallel()
	const size, most, tries = 16 << 10, 8, 60
	r := Default()
	perByte := func(s string) time.Duration {
		start := time.Now()
		r.Text(s)
		return time.Since(start) * size / time.Duration(len(s))
	}
	plain := strings.Repeat(`{"id":88213,"note":"please ring twice","state":"paid","lines":[{"sku":"A-100","price":"12,50"}]} `, size/96)
	yardstick := perByte(plain)
	for range tries {
		yardstick = min(yardstick, perByte(plain))
	}
	worst, worstPiece := time.Duration(0), ""
	for _, piece := range pumped() {
		s := strings.Repeat(piece, size/len(piece))
		took := perByte(s)
		for try := 0; took > most*yardstick && try < tries; try++ {
			took = min(took, perByte(s))
		}
		if took > worst {
			worst, worstPiece = took, piece
		}
	}
	t.Logf("the dearest text repeats %q: %.1f times a plain one", worstPiece, float64(worst)/float64(yardstick))
	require.LessOrEqual(t, worst, most*yardstick, "%q", worstPiece)
}

func BenchmarkPlainBody(b *testing.B) {
	benchmarkText(b, `{"id":88213,"note":"please ring twice","state":"paid"} `)
}
func BenchmarkSigns(b *testing.B) { benchmarkText(b, "@a") }
func BenchmarkNames(b *testing.B) { benchmarkText(b, "token:x;") }

func benchmarkText(b *testing.B, piece string) {
	s := strings.Repeat(piece, (64<<10)/len(piece))
	r := Default()
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		r.Text(s)
	}
}
