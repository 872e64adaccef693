package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
)

// The run of the pages that stay open.
const (
	openTogether   = 200
	pollsOfEach    = 3 // in a run; a browser takes half a minute between two of them
	mostOpenMemory = 20
)

// openPages is what 200 open pages cost.
type openPages struct {
	memory     float64 // MB that the server holds more of than before
	requests   int     // of one page in half a minute
	unchanged  float64 // the share of polls that were answered with 304
	statements float64 // of Postgres for one poll
}

// visitor is a browser of somebody who is signed in.
type visitor struct {
	address string
	session *http.Cookie
	client  http.Client
}

// openVisitor signs the person of the bench in.
func (c *client) openVisitor(ctx context.Context) (*visitor, error) {
	v := &visitor{address: "http://" + c.Addr}
	form := url.Values{"email": {benchPerson}, "password": {benchPassword}}.Encode()
	signIn, err := http.NewRequestWithContext(ctx, http.MethodPost, v.address+"/sign-in", strings.NewReader(form))
	if err != nil {
		return nil, err
	}
	signIn.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := http.DefaultTransport.RoundTrip(signIn) // a client would follow the redirect
	if err != nil {
		return nil, err
	}
	_ = answer.Body.Close()
	for _, cookie := range answer.Cookies() {
		if cookie.Name == "errand_session" {
			v.session = cookie
			return v, nil
		}
	}
	return nil, fmt.Errorf("the sign-in was answered with %s", answer.Status)
}

// page is an answer as it was sent.
type page struct {
	status int
	tag    string
	body   []byte
}

// get asks for a page like a browser, compressed, or for a live part whose tag it knows.
func (v *visitor) get(ctx context.Context, path, tag string) (page, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, v.address+path, http.NoBody)
	if err != nil {
		return page{}, err
	}
	request.AddCookie(v.session)
	request.Header.Set("Accept-Encoding", "gzip")
	if tag != "" {
		request.Header.Set("If-None-Match", tag)
	}
	answer, err := v.client.Do(request)
	if err != nil {
		return page{}, err
	}
	defer func() { _ = answer.Body.Close() }()
	got := page{status: answer.StatusCode, tag: answer.Header.Get("ETag")}
	got.body, err = io.ReadAll(answer.Body)
	if err == nil && got.status != http.StatusOK && got.status != http.StatusNotModified {
		err = fmt.Errorf("%s: %s", path, answer.Status)
	}
	return got, err
}

// livePart is an element that the script keeps up to date by itself: its address and its first tag.
var livePart = regexp.MustCompile(`data-live="([^"]*)"(?: data-part="\w+")?(?: data-tag="([^"]*)")?(?: data-(\w+)="\w+")?`)

// findLive returns the addresses that a page polls, with the tags that it has from the beginning.
func (v *visitor) findLive(ctx context.Context, path string) (map[string]string, error) {
	plain := *v
	plain.client.Transport = &http.Transport{DisableCompression: true}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, v.address+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	request.AddCookie(v.session)
	answer, err := plain.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	live := map[string]string{}
	for _, found := range livePart.FindAllStringSubmatch(string(text), -1) {
		if found[3] != "after" { // asked for only when another part has changed
			live[html.UnescapeString(found[1])] = html.UnescapeString(found[2])
		}
	}
	return live, err
}

// measureOpenPages keeps pages of the list and of issues open, half and half, each over a connection of its own. They poll without a
// pause, so a run is as many polls as a page makes in 90 seconds.
func (c *client) measureOpenPages(ctx context.Context, v *visitor) (openPages, error) {
	var measured openPages
	before, err := residentMemory(c.PID())
	if err != nil {
		return measured, err
	}
	polls := make([]poller, openTogether)
	for n := range polls {
		path := "/"
		if n%2 == 1 {
			path = issuePage(int64(1 + n*7%len(c.data.issues)))
		}
		live, err := v.findLive(ctx, path)
		if err != nil {
			return measured, err
		}
		measured.requests = max(measured.requests, len(live))
		polls[n] = poller{visitor{v.address, v.session, http.Client{Transport: &http.Transport{}}}, live, 0, 0}
	}
	defer func() {
		for n := range polls {
			polls[n].client.CloseIdleConnections()
		}
	}()
	if err := pollTogether(ctx, polls, 1); err != nil { // the first answers bring the tags
		return measured, err
	}
	statements, err := c.countStatements(ctx, func() error { return pollTogether(ctx, polls, 1) })
	if err != nil {
		return measured, err
	}
	if err := pollTogether(ctx, polls, pollsOfEach); err != nil {
		return measured, err
	}
	after, err := residentMemory(c.PID())
	asked, unchanged := 0, 0
	for n := range polls {
		asked, unchanged = asked+polls[n].asked, unchanged+polls[n].unchanged
	}
	measured.memory, measured.unchanged = after-before, float64(unchanged)/float64(asked)
	measured.statements = float64(statements) / float64(openTogether*measured.requests)
	return measured, err
}

// poller is an open page.
type poller struct {
	visitor
	live             map[string]string
	asked, unchanged int
}

// pollTogether lets all pages poll at the same time, eight of them at once.
func pollTogether(ctx context.Context, polls []poller, times int) error {
	errs := make([]error, len(polls))
	var running sync.WaitGroup
	free := make(chan struct{}, 8)
	for n := range polls {
		running.Go(func() {
			for range times {
				free <- struct{}{}
				errs[n] = cmp.Or(errs[n], polls[n].poll(ctx))
				<-free
			}
		})
	}
	running.Wait()
	return errors.Join(errs...)
}

// poll asks for each live part, as the script does.
func (p *poller) poll(ctx context.Context) error {
	for path, tag := range p.live {
		got, err := p.get(ctx, path, tag)
		if err != nil {
			return err
		}
		if p.asked++; got.status == http.StatusNotModified {
			p.unchanged++
		}
		p.live[path] = got.tag
	}
	return nil
}

// residentMemory returns the MB that a process holds.
func residentMemory(pid int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, after, _ := strings.Cut(string(text), "VmRSS:")
	var kilobytes float64
	_, err = fmt.Sscan(after, &kilobytes)
	return kilobytes / 1024, err
}
