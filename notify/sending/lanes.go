package sending

import (
	"maps"
	"sync"
	"time"

	"errand/store"
)

// The limits on parallel attempts of one server.
const (
	// fastPlaces and slowPlaces bound the parallel attempts at receivers that answer well, and at the others: those
	// that are slow or dead, or have not answered yet. Dead receivers, however many, hold no places of live ones.
	fastPlaces, slowPlaces = 128, 384
	// maxWindow is the most parallel attempts at a webhook. It starts with one.
	maxWindow = 64
	// slowWindow is the smallest window of a slow receiver. A failing one counts as slow once its window falls to it.
	slowWindow = 2
	// answersFast is the longest answer time of a receiver that is not slow.
	answersFast = time.Second
)

// lane is what a server knows about one webhook.
type lane struct {
	running int
	window  int // how many may run in parallel
	isSlow  bool
	isFull  bool // there may be more due deliveries than it had room for
}

// lanes decide how many attempts run in parallel at each webhook. A receiver that answers soon gets one more with
// each answer; a failing or slow one loses half. The zero value is ready.
type lanes struct {
	mu      sync.Mutex
	known   map[int64]*lane
	running [2]int // fast ones, slow ones
	next    int    // whose turn comes first
}

func (l *lanes) find(webhook int64) *lane {
	if l.known == nil {
		l.known = map[int64]*lane{}
	}
	if l.known[webhook] == nil {
		l.known[webhook] = &lane{window: 1, isSlow: true}
	}
	return l.known[webhook]
}

func classOf(isSlow bool) int {
	if isSlow {
		return 1
	}
	return 0
}

// makeRooms returns how many deliveries of each webhook may be taken now. Each look begins with another webhook, so
// that none is always last.
func (l *lanes) makeRooms(due []store.DueWebhook) map[int64]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	free := [2]int{fastPlaces - l.running[0], slowPlaces - l.running[1]}
	rooms := map[int64]int64{}
	l.next++
	for share := true; share; { // one place for each webhook in a round
		share = false
		for i := range due {
			webhook := due[(i+l.next)%len(due)].ID
			known := l.find(webhook)
			class := classOf(known.isSlow)
			room := int64(known.window - known.running)
			if free[class] > 0 && rooms[webhook] < room {
				rooms[webhook]++
				free[class]--
				share = true
			}
		}
	}
	return rooms
}

// noteTaken records which webhooks may have more due deliveries than there was room for.
func (l *lanes) noteTaken(due []store.DueWebhook, rooms map[int64]int64, taken []store.TakenDelivery) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, known := range l.known {
		known.isFull = false
	}
	left := maps.Clone(rooms)
	for _, delivery := range taken {
		left[delivery.WebhookID]--
	}
	for _, webhook := range due {
		l.find(webhook.ID).isFull = left[webhook.ID] == 0
	}
}

// begin counts the start of an attempt.
func (l *lanes) begin(webhook int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known := l.find(webhook)
	known.running++
	l.running[classOf(known.isSlow)]++
}

// end counts the end of an attempt, and reports whether deliveries may have waited for its place.
func (l *lanes) end(webhook int64, delivered bool, took time.Duration) (mayGoOn bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known := l.find(webhook)
	known.running--
	l.running[classOf(known.isSlow)]--
	isSlow := took > answersFast || !delivered && known.window/2 <= slowWindow
	switch {
	case !delivered:
		known.window = max(1, known.window/2)
	case took > answersFast:
		known.window = max(slowWindow, known.window/2)
	default:
		known.window = min(maxWindow, known.window+1)
	}
	if isSlow != known.isSlow { // its running attempts move with it
		l.running[classOf(known.isSlow)] -= known.running
		l.running[classOf(isSlow)] += known.running
		known.isSlow = isSlow
	}
	return known.isFull
}
