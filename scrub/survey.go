package scrub

// survey counts the kinds of bytes of a text. It decides, without a branch per byte, which rules can apply at all.
type survey struct {
	odd    int // control characters (but \n and \t) and all bytes beyond ASCII
	seps   int // = : > @ %, which stand at a name's end or in a URL
	digits int
	uppers int
	dashes int // - _
	spaces int
	bs     int // b B, which begin Bearer and Basic
}

// A lane of a byte's entry in laneOf counts one kind, so that one addition counts them all. Lanes overflow after
// 511 bytes.
const (
	lane      = 9
	laneMask  = 1<<lane - 1
	laneBytes = 511
)

var laneOf = func() (lanes [256]uint64) {
	set := func(n int, bytes string) {
		for _, b := range []byte(bytes) {
			lanes[b] |= 1 << (n * lane)
		}
	}
	for b := range lanes {
		if b < ' ' && b != '\n' && b != '\t' || b >= 0x7F {
			lanes[b] = 1
		}
	}
	set(1, "=:>@%")
	set(2, "0123456789")
	set(3, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	set(4, "-_")
	set(5, " ")
	set(6, "bB")
	return lanes
}()

func surveyOf(s string) (v survey) {
	for len(s) > laneBytes {
		v.add(lanesOf(s[:laneBytes]))
		s = s[laneBytes:]
	}
	v.add(lanesOf(s))
	return v
}

func lanesOf(s string) (sum uint64) {
	for i := range len(s) {
		sum += laneOf[s[i]]
	}
	return sum
}

func (v *survey) add(sum uint64) {
	v.odd += int(sum & laneMask)
	v.seps += int(sum >> lane & laneMask)
	v.digits += int(sum >> (2 * lane) & laneMask)
	v.uppers += int(sum >> (3 * lane) & laneMask)
	v.dashes += int(sum >> (4 * lane) & laneMask)
	v.spaces += int(sum >> (5 * lane) & laneMask)
	v.bs += int(sum >> (6 * lane) & laneMask)
}
