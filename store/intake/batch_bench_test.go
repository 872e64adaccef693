package intake_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/similar"
	"errand/store"
	"errand/store/intake"
	"errand/store/storetest"
	"errand/triage"
)

// BenchmarkAddEvents adds batches of events, as one sender and as many make them, each event with its own user: for 1,000
// known issues, and for new ones. cpu-us/event is the time of this process and Postgres.
func BenchmarkAddEvents(b *testing.B) {
	groups := map[string]func(n int) string{
		"known": func(n int) string { return fmt.Sprint("group ", n%1000) },
		"new":   func(n int) string { return fmt.Sprintf("order %d was paid twice", n) },
	}
	for kind, group := range groups {
		for _, size := range []int{1, 8, 32} {
			b.Run(fmt.Sprint("issues=", kind, "/events=", size), func(b *testing.B) { benchmarkAddEvents(b, size, group) })
		}
	}
}

// BenchmarkAddOldClients adds batches of events of one issue with a deployed fix, as clients with an older release send them.
func BenchmarkAddOldClients(b *testing.B) {
	for _, size := range []int{1, 8, 32} {
		b.Run(fmt.Sprint("events=", size), func(b *testing.B) {
			s := storetest.New(b)
			benchmarkAdding(b, s, size, func(int) string { return "boom" }, func() {
				deploy := store.NewDeploy{ProjectID: storetest.Shop, Release: "2.0", Environment: "production", Commit: "bbbbbbb"}
				_, err := s.CreateDeploy(b.Context(), storetest.MakeActor(1), deploy)
				require.NoError(b, err)
				issue := storetest.ReadCell[int64](b, s, `SELECT id FROM issues`)
				_, err = s.LinkFix(b.Context(), storetest.MakeActor(1), issue, store.NewFix{Kind: core.FixByCommit, Ref: "bbbbbbb"})
				require.NoError(b, err)
			})
		})
	}
}

func benchmarkAddEvents(b *testing.B, size int, group func(n int) string) {
	benchmarkAdding(b, storetest.New(b), size, group, func() {})
}

// benchmarkAdding adds batches after a first batch and prepare.
func benchmarkAdding(b *testing.B, s *store.Store, size int, group func(n int) string, prepare func()) {
	storetest.MakeProject(b, s, storetest.Shop, "Shop")
	storetest.SaveSettings(b, s, map[string]string{"NEW_ISSUES_PER_HOUR": "0"})
	random := rand.NewChaCha8([32]byte{})
	payload := make([]byte, 500)
	_, _ = random.Read(payload)
	n := 0
	batch := func(size int) []intake.NewEvent {
		events := make([]intake.NewEvent, size)
		for i := range events {
			n++
			e := storetest.MakeShopEvent(group(n), n, s.Now())
			e.ReceivedAt, e.User, e.Payload = core.At(s.Now().Time), storetest.HashUser(n), intake.Payload{Bytes: payload}
			e.Crash, e.Features = triage.Crash{Site: triage.NoStack}, featuresOf(n)
			events[i] = e
		}
		return events
	}
	storetest.AddEvents(b, s, batch(1000)...)
	prepare()
	before := cpuSeconds(b)
	for b.Loop() {
		_, err := s.Intake.AddEvents(b.Context(), batch(size))
		require.NoError(b, err)
	}
	events := float64(b.N * size)
	b.ReportMetric(float64(b.Elapsed().Microseconds())/events, "us/event")
	b.ReportMetric((cpuSeconds(b)-before)*1e6/events, "cpu-us/event")
}

// words are the parts of the names of an app's functions.
var words = []string{"Order", "Cart", "Price", "Invoice", "Stock", "Refund", "User", "Address", "Card", "Coupon", "Tax", "Parcel",
	"Return", "Bill", "Shop"}

// featuresOf returns the features of an issue in an app with a few hundred functions.
func featuresOf(n int) []int32 {
	random := rand.New(rand.NewPCG(uint64(n), 1))
	exception := core.Exception{Type: "PaymentError"}
	for range 16 {
		function := core.Untrusted("handle" + words[random.IntN(len(words))] + words[random.IntN(len(words))])
		exception.Frames = append(exception.Frames, core.Frame{Function: function, Filename: "shop/pay.go", InApp: true})
	}
	e := core.Event{Title: core.Untrusted(fmt.Sprintf("PaymentError: order %d was paid twice", n)), Culprit: "shop in pay"}
	e.Exceptions = []core.Exception{exception}
	return similar.FeaturesOfEvent(&e)
}

// cpuSeconds returns the processor time of this process and of the Postgres that it started.
func cpuSeconds(b *testing.B) float64 {
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(b, err)
	parents, seconds := map[int]int{}, map[int]float64{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		parents[pid], _ = strconv.Atoi(fields[1])
		for _, field := range fields[11:15] { // user and system time, including that of ended children
			ticks, _ := strconv.ParseFloat(field, 64)
			seconds[pid] += ticks / 100
		}
	}
	sum := 0.0
	for pid := range parents {
		for ancestor := pid; ancestor > 1; ancestor = parents[ancestor] {
			if ancestor == os.Getpid() {
				sum += seconds[pid]
				break
			}
		}
	}
	return sum
}
