package store_test

import (
	"errand/store"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/intake"
	"errand/store/storetest"
)

// fullEvent has a value in every stored field.
func fullEvent(c *storetest.Clock) core.Event {
	handled := false
	frame := core.Frame{
		Function: "pay", Module: "shop", Filename: "shop.go", AbsPath: "/src/shop.go", Lineno: 42, Colno: 7, InApp: true,
		ContextLine: "\treturn nil",
		PreContext:  core.List[core.Untrusted]{"a", ""}, PostContext: core.List[core.Untrusted]{"b"},
		Vars:   makeObject("total", core.Value{Kind: core.Number, Text: "1e400"}),
		Source: &core.SourcePosition{Name: "pay", Path: "shop.ts", Line: 1, Column: 2},
	}
	return core.Event{
		EventID: "00000000000000000000000000000001", Timestamp: c.At(-time.Second), ReceivedAt: c.At(0), Platform: "go", Level: "error",
		Logger: "root", Title: "Error: <b>\u2028 \"quoted\"", Culprit: "shop in pay", Message: "two\nlines\\", Transaction: "/pay",
		Release: "1.0",
		Dist:    "1", Environment: "production", ServerName: "web-1",
		Exceptions: core.List[core.Exception]{{
			Type: "Error", Value: "🙂", Module: "errors", Mechanism: &core.Mechanism{Type: "generic", Handled: &handled},
			Frames: core.List[core.Frame]{frame, {}},
		}},
		Threads: core.List[core.Thread]{{ID: "1", Name: "main", Crashed: true, Current: true, Frames: core.List[core.Frame]{frame}}},
		Breadcrumbs: core.List[core.Breadcrumb]{{Timestamp: c.At(-time.Minute), Type: "http", Category: "fetch", Level: "info", Message: "GET",
			Data: makeObject("a", core.StringValue("b"))}},
		User: makeObject("id", core.StringValue("7")),
		Request: &core.Request{
			Method: "POST", URL: "https://shop.example/pay", Query: makeObject("q", core.StringValue("1")),
			Headers: makeObject("Host", core.StringValue("x")),
			Cookies: makeObject("c", core.StringValue("[Filtered]")), Data: core.StringValue("body"),
		},
		Tags: makeObject("k", core.StringValue("v")), Contexts: makeObject("os", makeObject("name", core.StringValue("Linux"))),
		Extra: makeObject("list", core.Value{Kind: core.Array,
			Kids: []core.Member{{Value: core.Value{Kind: core.Bool, Text: "true"}}, {Value: core.Value{}}}}),
		SDK: core.SDK{Name: "sentry.go", Version: "0.1"}, Fingerprint: core.List[core.Untrusted]{"{{ default }}", "x"},
		DebugImages: core.List[core.DebugImage]{{Type: "sourcemap", DebugID: "d", CodeFile: "app.js"}},
		Problems:    core.List[core.Problem]{{Path: "extra", Reason: "too large"}},
	}
}

func makeObject(key string, value core.Value) core.Value {
	return core.Value{Kind: core.Object, Kids: []core.Member{{Key: key, Value: value}}}
}

func TestEventComesBackAsItWasStored(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	large := fullEvent(c)
	large.Message = core.Untrusted(strings.Repeat("text that packs well ", 50_000)) // a megabyte, more than any event
	for name, want := range map[string]core.Event{"full": fullEvent(c), "empty": {}, "large": large} {
		e := storetest.MakeShopEvent(name, 1, c.At(-time.Minute))
		e.ReceivedAt = c.At(0)
		e.Payload = intake.PackPlain(want.AppendJSON(nil))
		added := storetest.AddEvents(t, s, e)
		got, err := s.ReadEvent(t.Context(), added.ID)
		require.NoError(t, err)
		require.Equal(t, core.EventDetail{
			EventRow: core.EventRow{
				ID: added.ID, IssueID: added.IssueID, ProjectID: storetest.Shop, EventID: fmt.Sprintf("%x", e.EventID), Timestamp: c.At(-time.Minute),
				ReceivedAt: c.At(0), Level: "error", Release: "1.0", Environment: "production",
			},
			Event: want,
		}, got, name)
	}
}

func TestUnknownEvent(t *testing.T) {
	t.Parallel()
	s, _ := storetest.OpenShop(t)
	_, err := s.ReadEvent(t.Context(), 12345)
	storetest.RequireCode(t, core.NotFound, err)
}

func TestEventThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	bomb := intake.PackPlain([]byte(`{"message":"` + strings.Repeat("x", 5<<20) + `"}`)) // five megabytes in a few hundred bytes
	for name, payload := range map[string]intake.Payload{"not packed": {Bytes: []byte("{}")}, "not JSON": intake.PackPlain([]byte("{")),
		"empty": {Bytes: []byte{}}, "too large": bomb} {
		e := storetest.MakeShopEvent(name, 1, c.At(0))
		e.Payload = payload
		added := storetest.AddEvents(t, s, e)
		_, err := s.ReadEvent(t.Context(), added.ID)
		storetest.RequireCode(t, core.Internal, err)
		require.ErrorContains(t, err, "a stored event cannot be read", name)
		events, err := s.ListIssueEvents(t.Context(), added.IssueID, store.EventFilter{Paging: core.Paging{Limit: 5}})
		require.NoError(t, err, "the list does not unpack")
		require.Len(t, events.Data, 1)
	}
}

func TestIssueEventsPages(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	var want []int64
	var issueID int64
	for n := range 11 {
		at := c.At(time.Duration(n/3) * 10 * time.Hour) // over several partitions, three with the same time
		e := storetest.MakeShopEvent("pay", n, at)
		e.OccurredAt = c.At(-time.Duration(n) * time.Hour) // lists follow the order of arrival
		added := storetest.AddEvents(t, s, e, storetest.MakeShopEvent("log in", n, at))
		want = append([]int64{added.ID - 1}, want...)
		issueID = storetest.ReadCell[int64](t, s, `SELECT issue_id FROM events WHERE id = $1`, added.ID-1)
	}
	for _, limit := range []int{1, 3, 4, 11, 100} {
		var got []int64
		for page := (core.Paging{Limit: limit}); ; {
			events, err := s.ListIssueEvents(t.Context(), issueID, store.EventFilter{Paging: page})
			require.NoError(t, err)
			for _, e := range events.Data {
				got = append(got, e.ID)
				alone, err := s.ReadEvent(t.Context(), e.ID)
				require.NoError(t, err)
				require.Equal(t, alone.EventRow, e)
			}
			if page.Cursor = events.NextCursor; page.Cursor == "" {
				break
			}
			require.Len(t, events.Data, limit)
			require.Less(t, len(got), len(want), "the pages never end")
		}
		require.Equal(t, want, got, "limit %d", limit)
	}
	_, err := s.ListIssueEvents(t.Context(), 12345, store.EventFilter{Paging: core.Paging{Limit: 4}})
	storetest.RequireCode(t, core.NotFound, err)
	other := core.ListPosition{Sort: "at", At: c.Now, ID: 1}.Cursor()
	_, err = s.ListIssueEvents(t.Context(), issueID, store.EventFilter{Paging: core.Paging{Limit: 4, Cursor: other}})
	storetest.RequireCode(t, core.InvalidRequest, err)
}
