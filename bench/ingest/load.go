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

// sendResult is the number of sent bodies, and how long each took.
type sendResult struct {
	events    int
	elapsed   time.Duration
	latencies []time.Duration
	err       error
}

// sendBodies sends the bodies, each sender over its own connection and one after the other, until the bodies or the time are used
// up. It writes prepared bytes and reads answers by hand, to leave the machine to the server.
func sendBodies(ctx context.Context, addr string, bodies [][]byte, senders int, atMost time.Duration) sendResult {
	var next atomic.Int64
	results := make([]sendResult, senders)
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
	total := sendResult{elapsed: time.Since(start)}
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

func sendFromOne(ctx context.Context, addr string, end time.Time, next func() []byte) (s sendResult) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return sendResult{err: err}
	}
	defer func() { _ = conn.Close() }()
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
