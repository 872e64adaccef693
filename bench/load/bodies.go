package load

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"errand/bench"
)

// Template is one SDK's event with marks for the parts that differ from event to event.
type Template struct {
	Platform  string
	Text      []byte
	isGzipped bool // as the SDK does
}

// Marks in a template are replaced by values. They are as long as the ids that replace them.
const (
	markEventID  = "@@@@@@@@@@@@@@event@id@@@@@@@@@@"
	markUser     = "@@user@@"
	markFunction = "@@function@@"
	markTime     = "@@time@@"
)

// gzippingSDKs are the SDKs that send gzip at these sizes; node does so only above 32 KiB.
var gzippingSDKs = map[string]bool{"python": true, "java": true, "php": true}

// ReadTemplates reads the events of the SDKs.
func ReadTemplates(dir string) ([]Template, error) {
	var list []Template
	for _, platform := range []string{"node", "browser", "python", "go", "java", "php"} {
		text, err := os.ReadFile(filepath.Join(dir, platform+".json"))
		if err != nil {
			return nil, err
		}
		var event map[string]any
		if err := json.Unmarshal(text, &event); err != nil {
			return nil, fmt.Errorf("%s: %w", platform, err)
		}
		event["event_id"], event["timestamp"] = markEventID, markTime
		event["user"] = map[string]any{"id": markUser, "ip_address": "203.0.113.7"}
		markIssue(event)
		if text, err = json.Marshal(event); err != nil {
			return nil, err
		}
		list = append(list, Template{platform, text, gzippingSDKs[platform]})
	}
	return list, nil
}

// markIssue puts the mark into everything that grouping may use, so that each issue is distinct: the message, the fingerprint,
// and the functions of the in-app frames.
func markIssue(event map[string]any) {
	if message, ok := event["message"].(string); ok {
		event["message"] = message + " " + markFunction
	}
	if parts, ok := event["fingerprint"].([]any); ok {
		event["fingerprint"] = append(parts, markFunction)
	}
	markFunctions(event)
}

func markFunctions(v any) {
	switch v := v.(type) {
	case map[string]any:
		if name, ok := v["function"].(string); ok && v["in_app"] != false {
			v["function"] = name + markFunction
		}
		for _, member := range v {
			markFunctions(member)
		}
	case []any:
		for _, item := range v {
			markFunctions(item)
		}
	}
}

// Target is the destination of the bodies.
type Target struct {
	Project int64
	Key     string
	Host    string
}

// MakeTarget makes a project for bodies.
func MakeTarget(ctx context.Context, s *bench.Server, name string) (Target, error) {
	project, err := s.MakeProject(ctx, name)
	if err != nil {
		return Target{}, err
	}
	key, _, _ := strings.Cut(strings.TrimPrefix(project.DSN, "http://"), "@")
	return Target{project.ID, key, s.Addr}, nil
}

// MakeTargets creates projects.
func MakeTargets(ctx context.Context, s *bench.Server, projects int) ([]Target, error) {
	targets := make([]Target, projects)
	for n := range targets {
		var err error
		if targets[n], err = MakeTarget(ctx, s, fmt.Sprintf("App %d of %d", n, projects)); err != nil {
			return nil, err
		}
	}
	return targets, nil
}

// MixBodies makes bodies for all targets, each of its share of the issues and of the bodies, in random order.
func MixBodies(targets []Target, templates []Template, of Spread) [][]byte {
	share := of
	share.Issues, share.Count = max(1, of.Issues/len(targets)), (of.Count+len(targets)-1)/len(targets)
	var all [][]byte
	for _, target := range targets {
		all = append(all, target.MakeBodies(templates, share)...)
	}
	rand.New(rand.NewPCG(uint64(of.Seed), 1)).Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
	return all[:of.Count]
}

// Spread says which issues the bodies are of. First is the number of the first issue.
type Spread struct{ First, Issues, Count, Seed int }

// MakeBodies makes whole HTTP requests for events of the issues in turn, in random order of templates and users.
func (t Target) MakeBodies(templates []Template, of Spread) [][]byte {
	list := make([][]byte, of.Count)
	var all sync.WaitGroup
	workers := runtime.NumCPU()
	for worker := range workers {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(t.Project), uint64(of.Seed*workers+worker)))
			for i := worker; i < of.Count; i += workers {
				issue := of.First + i%of.Issues
				list[i] = t.makeRequest(templates[issue%len(templates)], issue, random)
			}
		})
	}
	all.Wait()
	rand.New(rand.NewPCG(uint64(t.Project), uint64(of.Seed))).Shuffle(of.Count, func(a, b int) { list[a], list[b] = list[b], list[a] })
	return list
}

func (t Target) makeRequest(tmpl Template, issue int, random *rand.Rand) []byte {
	var id [16]byte
	for i := range id {
		id[i] = byte(random.Uint32())
	}
	eventID := hex.EncodeToString(id[:])
	payload := strings.NewReplacer(
		markEventID, eventID, markUser, fmt.Sprintf("u%07d", random.IntN(100_000)), markFunction, spellNumber(issue),
		markTime, time.Now().UTC().Format(time.RFC3339Nano),
	).Replace(string(tmpl.Text))
	var body bytes.Buffer
	fmt.Fprintf(&body, "{\"event_id\":%q,\"sent_at\":%q}\n{\"type\":\"event\",\"length\":%d}\n%s\n", eventID,
		time.Now().UTC().Format(time.RFC3339Nano), len(payload), payload)
	encoding := ""
	if tmpl.isGzipped {
		body, encoding = compressBody(body), "Content-Encoding: gzip\r\n"
	}
	head := fmt.Sprintf("POST /api/%d/envelope/ HTTP/1.1\r\nHost: %s\r\nUser-Agent: bench\r\n"+
		"X-Sentry-Auth: Sentry sentry_version=7, sentry_key=%s, sentry_client=bench/1\r\n%sContent-Length: %d\r\n\r\n",
		t.Project, t.Host, t.Key, encoding, body.Len())
	return append([]byte(head), body.Bytes()...)
}

func compressBody(body bytes.Buffer) bytes.Buffer {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(body.Bytes()) // a buffer accepts everything
	_ = w.Close()
	return packed
}

// spellNumber names an issue without digits, which grouping would remove.
func spellNumber(n int) string {
	name := "_"
	for ; n > 0; n /= 20 {
		name += string("bcdfghjklmnpqrstvwxz"[n%20])
	}
	return name
}
