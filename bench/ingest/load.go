package main

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

// sent is what came of sending.
type sent struct {
	events    int
	elapsed   time.Duration
	latencies []time.Duration
	err       error
}

// send sends the bodies from as many connections as there are senders, each one after the other, until the bodies or
// the time is used up. It writes prepared bytes and reads answers by hand, to leave the machine to the server.
func send(ctx context.Context, addr string, bodies [][]byte, senders int, atMost time.Duration) sent {
	var next atomic.Int64
	results := make([]sent, senders)
	start := time.Now()
	end := start.Add(atMost)
	var all sync.WaitGroup
	for i := range senders {
		all.Go(func() {
			results[i] = sendOne(ctx, addr, end, func() []byte {
				if n := next.Add(1) - 1; n < int64(len(bodies)) {
					return bodies[n]
				}
				return nil
			})
		})
	}
	all.Wait()
	total := sent{elapsed: time.Since(start)}
	for _, r := range results {
		total.events += r.events
		total.latencies = append(total.latencies, r.latencies...)
		if r.err != nil {
			total.err = r.err
		}
	}
	slices.Sort(total.latencies)
	return total
}

func sendOne(ctx context.Context, addr string, end time.Time, next func() []byte) (s sent) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return sent{err: err}
	}
	defer conn.Close()
	answers := bufio.NewReader(conn)
	for ctx.Err() == nil && time.Now().Before(end) {
		body := next()
		if body == nil {
			return s
		}
		begin := time.Now()
		if _, s.err = conn.Write(body); s.err != nil {
			return s
		}
		if s.err = readAnswer(answers); s.err != nil {
			return s
		}
		s.latencies = append(s.latencies, time.Since(begin))
		s.events++
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
