// Package load sends events of real SDKs to a running binary, and reads what that costs.
package load

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Sent is the number of sent bodies, and how long each took, sorted.
type Sent struct {
	Events    int
	Elapsed   time.Duration
	Latencies []time.Duration
	Err       error
}

// PerSecond returns how many events were sent in a second.
func (s Sent) PerSecond() float64 { return float64(s.Events) / s.Elapsed.Seconds() }

// SendBodies sends the bodies, each sender over its own connection and one after the other, until the bodies or the time are used
// up. It writes prepared bytes and reads answers by hand, to leave the machine to the server.
func SendBodies(ctx context.Context, addr string, bodies [][]byte, senders int, atMost time.Duration) Sent {
	var next atomic.Int64
	results := make([]Sent, senders)
	start := time.Now()
	end := start.Add(atMost)
	var all sync.WaitGroup
	for i := range senders {
		all.Go(func() {
			results[i] = sendFromOne(ctx, addr, end, func() []byte {
				if n := next.Add(1) - 1; n < int64(len(bodies)) {
					return bodies[n]
				}
				return nil
			})
		})
	}
	all.Wait()
	total := Sent{Elapsed: time.Since(start)}
	for _, r := range results {
		total.Events += r.Events
		total.Latencies = append(total.Latencies, r.Latencies...)
		if r.Err != nil {
			total.Err = r.Err
		}
	}
	slices.Sort(total.Latencies)
	return total
}

func sendFromOne(ctx context.Context, addr string, end time.Time, next func() []byte) (s Sent) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return Sent{Err: err}
	}
	defer func() { _ = conn.Close() }()
	answers := bufio.NewReader(conn)
	for ctx.Err() == nil && time.Now().Before(end) {
		body := next()
		if body == nil {
			return s
		}
		begin := time.Now()
		if _, s.Err = conn.Write(body); s.Err != nil {
			return s
		}
		if s.Err = readAnswer(answers); s.Err != nil {
			return s
		}
		s.Latencies = append(s.Latencies, time.Since(begin))
		s.Events++
	}
	return s
}

func readAnswer(r *bufio.Reader) error {
	lines := textproto.NewReader(r)
	status, err := lines.ReadLine()
	if err != nil {
		return err
	}
	length := 0
	for {
		line, err := lines.ReadLineBytes()
		if err != nil {
			return err
		}
		if len(line) == 0 {
			break
		}
		if value, ok := strings.CutPrefix(string(line), "Content-Length: "); ok {
			if length, err = strconv.Atoi(value); err != nil {
				return err
			}
		}
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(r, body); err != nil {
		return err
	}
	if !strings.Contains(status, " 200 ") {
		return fmt.Errorf("the server answered %s: %s", status, body)
	}
	return nil
}
