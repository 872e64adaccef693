// Package crashes makes events for POST /v1/ingest, of any size.
package crashes

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Make returns an event that has about as many bytes of JSON as asked for, at least 2 KB: a stack of frames with their source and
// variables, and steps before it. Its words are different ones, so it compresses like real text. The same number names the same issue.
func Make(size int, number uint64) []byte {
	random := rand.New(rand.NewPCG(number, uint64(size)))
	var frames, steps []any
	event := map[string]any{
		"platform": "node", "level": "error", "release": "shop@1.4.2", "environment": "production", "server_name": "web-3",
		"tags": map[string]string{"browser": "Chrome 131", "customer": words(random, 1)},
		"user": map[string]string{"id": words(random, 1)},
		"request": map[string]any{
			"method": "POST", "url": "https://shop.example/checkout", "headers": map[string]string{"User-Agent": words(random, 8)},
		},
	}
	var text []byte
	for {
		frames = append(frames, makeFrame(random, len(frames)))
		if len(steps) < 100 {
			steps = append(steps, map[string]any{"category": "fetch", "message": words(random, 6), "timestamp": 1.7e9 + float64(len(steps))})
		}
		event["exception"] = map[string]any{
			"type": "TypeError", "value": fmt.Sprintf("total of %s is undefined", words(random, 1)), "stacktrace": map[string]any{"frames": frames},
		}
		event["fingerprint"], event["breadcrumbs"] = []string{fmt.Sprint("crash ", number)}, steps
		text, _ = json.Marshal(event) // maps of strings are always written
		if len(text) >= size {
			return text
		}
	}
}

// makeFrame makes a frame; two of three are the application's own.
func makeFrame(random *rand.Rand, n int) map[string]any {
	source := func(lines int) (made []string) {
		for range lines {
			made = append(made, "  const "+words(random, 7)+";")
		}
		return made
	}
	return map[string]any{
		"function": words(random, 1), "filename": fmt.Sprintf("src/%s/%s.ts", words(random, 1), words(random, 1)),
		"lineno": 10 + n, "colno": 5, "in_app": n%3 > 0, "pre_context": source(5), "context_line": source(1)[0], "post_context": source(5),
		"vars": map[string]any{words(random, 1): words(random, 3), "line": map[string]any{"sku": words(random, 1), "count": n}},
	}
}

// words returns made-up words.
func words(random *rand.Rand, n int) string {
	list := make([]string, n)
	for i := range list {
		word := make([]byte, 4+random.IntN(7))
		for j := range word {
			word[j] = "etaoinshrdlucmfw"[random.IntN(16)]
		}
		list[i] = string(word)
	}
	return strings.Join(list, " ")
}
