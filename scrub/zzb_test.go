package scrub
import ("testing";"time";"fmt")
func TestZZCPU(t *testing.T) {
	e := typicalEvent()
	texts:=0; keys:=0
	count(e,&texts,&keys)
	fmt.Println("bytes", len(e.AppendJSON(nil)), "texts", texts, "keys", keys)
	r2,_ := New([]string{"order_total", "username"}, typicalPatterns)
	for _, r := range []*Rules{Default(), r2} {
	best := time.Hour
	for range 20000 {
		restore(e)
		c := time.Now()
		r.Event(e)
		d := time.Since(c)
		if d < best { best = d }
	}
	fmt.Println("best per event", best)
	}
}
