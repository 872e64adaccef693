package sending

import (
	"maps"
	"sync"
	"time"

	"errand/store"
)

// How many attempts are made at once, by one server.
const (
	// fastPlaces and slowPlaces are how many attempts there are at once at receivers that answer well, and at the others: those
	// that are slow or dead, and those that have not answered yet. Places that a dead one holds are not those of the live ones,
	// however many are dead.
	fastPlaces, slowPlaces = 128, 384
	// maxWindow is how many attempts at once a webhook gets in the end. It begins with one.
	maxWindow = 64
	// slowWindow is what a slow receiver keeps, and where one is slow that fails.
	slowWindow = 2
	// answersFast is the longest time in which a receiver answers that is not slow.
	answersFast = time.Second
)

// lane is what a server knows of one webhook.
type lane struct {
	running int
	window  int // how many may run at once
	isSlow  bool
	isFull  bool // there may be more due deliveries than it had room for
}

// lanes decide how many attempts there are at once at each webhook. A receiver that answers soon gets one more with each answer;
// one that fails or is slow loses half. The zero value is ready.
type lanes struct {
	mu      sync.Mutex
	known   map[int64]*lane
	running [2]int // of fast ones, of slow ones
	next    int    // whose turn it is first
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

// makeRooms returns how many deliveries of each webhook may be taken now. Each look begins with another webhook, so that none is
// always the last one.
func (l *lanes) makeRooms(due []store.DueWebhook) map[int64]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	free := [2]int{fastPlaces - l.running[0], slowPlaces - l.running[1]}
	rooms := map[int64]int64{}
	l.next++
	for share := true; share; { // one place each in a round
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

// noteTaken notes which webhooks may have more due deliveries than there was room for.
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

// begin counts an attempt that begins.
func (l *lanes) begin(webhook int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known := l.find(webhook)
	known.running++
	l.running[classOf(known.isSlow)]++
}

// end counts an attempt that has ended, and reports whether there may be deliveries that waited for its place.
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
	if isSlow != known.isSlow { // those that run move with it
		l.running[classOf(known.isSlow)] -= known.running
		l.running[classOf(isSlow)] += known.running
		known.isSlow = isSlow
	}
	return known.isFull
}
