package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
)

// fullEvent has a value in every field that is stored.
func fullEvent(c *clock) core.Event {
	handled := false
	frame := core.Frame{
		Function: "pay", Module: "shop", Filename: "shop.go", AbsPath: "/src/shop.go", Lineno: 42, Colno: 7, InApp: true, ContextLine: "\treturn nil",
		PreContext: core.List[core.Untrusted]{"a", ""}, PostContext: core.List[core.Untrusted]{"b"},
		Vars: object("total", core.Value{Kind: core.Number, Text: "1e400"}), Source: &core.SourcePosition{Name: "pay", Path: "shop.ts", Line: 1, Column: 2},
	}
	return core.Event{
		EventID: "00000000000000000000000000000001", Timestamp: c.at(-time.Second), ReceivedAt: c.at(0), Platform: "go", Level: "error",
		Logger: "root", Title: "Error: <b>\u2028 \"quoted\"", Culprit: "shop in pay", Message: "two\nlines\\", Transaction: "/pay", Release: "1.0",
		Dist: "1", Environment: "production", ServerName: "web-1",
		Exceptions: core.List[core.Exception]{{
			Type: "Error", Value: "🙂", Module: "errors", Mechanism: &core.Mechanism{Type: "generic", Handled: &handled}, Frames: core.List[core.Frame]{frame, {}},
		}},
		Threads:     core.List[core.Thread]{{ID: "1", Name: "main", Crashed: true, Current: true, Frames: core.List[core.Frame]{frame}}},
		Breadcrumbs: core.List[core.Breadcrumb]{{Timestamp: c.at(-time.Minute), Type: "http", Category: "fetch", Level: "info", Message: "GET", Data: object("a", core.StringValue("b"))}},
		User:        object("id", core.StringValue("7")),
		Request: &core.Request{
			Method: "POST", URL: "https://shop.example/pay", Query: object("q", core.StringValue("1")), Headers: object("Host", core.StringValue("x")),
			Cookies: object("c", core.StringValue("[Filtered]")), Data: core.StringValue("body"),
		},
		Tags: object("k", core.StringValue("v")), Contexts: object("os", object("name", core.StringValue("Linux"))),
		Extra: object("list", core.Value{Kind: core.Array, Kids: []core.Member{{Value: core.Value{Kind: core.Bool, Text: "true"}}, {Value: core.Value{}}}}),
		SDK:   core.SDK{Name: "sentry.go", Version: "0.1"}, Fingerprint: core.List[core.Untrusted]{"{{ default }}", "x"},
		DebugImages: core.List[core.DebugImage]{{Type: "sourcemap", DebugID: "d", CodeFile: "app.js"}}, Problems: core.List[core.Problem]{{Path: "extra", Reason: "too large"}},
	}
}

func object(key string, value core.Value) core.Value {
	return core.Value{Kind: core.Object, Kids: []core.Member{{Key: key, Value: value}}}
}

func TestEventComesBackAsItWasStored(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	large := fullEvent(c)
	large.Message = core.Untrusted(strings.Repeat("text that packs well ", 50_000)) // a megabyte, more than any event
	for name, want := range map[string]core.Event{"full": fullEvent(c), "empty": {}, "large": large} {
		e := event(shop, name, 1, c.at(-time.Minute))
		e.ReceivedAt = c.at(0)
		e.Payload = store.Pack(want.AppendJSON(nil))
		added := add(t, s, e)
		got, err := s.Event(t.Context(), added.ID)
		require.NoError(t, err)
		require.Equal(t, core.EventDetail{
			EventRow: core.EventRow{
				ID: added.ID, IssueID: added.IssueID, ProjectID: shop, EventID: fmt.Sprintf("%x", e.EventID), Timestamp: c.at(-time.Minute),
				ReceivedAt: c.at(0), Level: "error", Release: "1.0", Environment: "production",
			},
			Event: want,
		}, got, name)
	}
}

func TestUnknownEvent(t *testing.T) {
	t.Parallel()
	s, _ := openShop(t)
	_, err := s.Event(t.Context(), 12345)
	requireCode(t, core.NotFound, err)
}

func TestEventThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	bomb := store.Pack([]byte(`{"message":"` + strings.Repeat("x", 5<<20) + `"}`)) // five megabytes in a few hundred bytes
	for name, payload := range map[string]store.Payload{"not packed": {Bytes: []byte("{}")}, "not JSON": store.Pack([]byte("{")), "empty": {Bytes: []byte{}}, "too large": bomb} {
		e := event(shop, name, 1, c.at(0))
		e.Payload = payload
		added := add(t, s, e)
		_, err := s.Event(t.Context(), added.ID)
		requireCode(t, core.Internal, err)
		require.ErrorContains(t, err, "a stored event cannot be read", name)
		events, err := s.IssueEvents(t.Context(), added.IssueID, core.Paging{Limit: 5})
		require.NoError(t, err, "the list does not unpack")
		require.Len(t, events.Data, 1)
	}
}

func TestIssueEventsPages(t *testing.T) {
	t.Parallel()
	s, c := openShop(t)
	var want []int64
	var issueID int64
	for n := range 11 {
		at := c.at(time.Duration(n/3) * 10 * time.Hour) // over several partitions, three with one time
		e := event(shop, "pay", n, at)
		e.OccurredAt = c.at(-time.Duration(n) * time.Hour) // the order is that of arrival
		added := add(t, s, e, event(shop, "log in", n, at))
		want = append([]int64{added.ID - 1}, want...)
		issueID = cell[int64](t, s, `SELECT issue_id FROM events WHERE id = $1`, added.ID-1)
	}
	for _, limit := range []int{1, 3, 4, 11, 100} {
		var got []int64
		for page := (core.Paging{Limit: limit}); ; {
			events, err := s.IssueEvents(t.Context(), issueID, page)
			require.NoError(t, err)
			for _, e := range events.Data {
				got = append(got, e.ID)
				alone, err := s.Event(t.Context(), e.ID)
				require.NoError(t, err)
				require.Equal(t, alone.EventRow, e)
			}
			if page.Cursor = events.NextCursor; page.Cursor == "" {
				break
			}
			require.Len(t, events.Data, limit)
			require.Less(t, len(got), len(want), "the pages do not end")
		}
		require.Equal(t, want, got, "limit %d", limit)
	}
	_, err := s.IssueEvents(t.Context(), 12345, core.Paging{Limit: 4})
	requireCode(t, core.NotFound, err)
	_, err = s.IssueEvents(t.Context(), issueID, core.Paging{Limit: 4, Cursor: core.NewCursor("at", c.now, 1)})
	requireCode(t, core.InvalidRequest, err)
}
