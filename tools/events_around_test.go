package tools_test

import (
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/intake"
)

// taggedEvent returns the event with the tags of an SDK.
func taggedEvent(e intake.NewEvent, tags string) intake.NewEvent {
	e.Payload = intake.PackPlain(fmt.Appendf(nil, `{"event_id":"%032x","platform":"go","message":"boom","tags":%s}`, e.EventID[:], tags))
	return e
}

func TestGetEventsAround(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	op := core.GetEventsAround.Operation
	var issue int64
	var ids []int64
	for n := range 5 { // of two of the same moment the one with the greater id is the later one
		e := taggedEvent(h.newEvent("pay", n), fmt.Sprintf(`{"half":"%d"}`, n%2))
		e.ReceivedAt = core.At(noon.Add(time.Duration(n/2) * time.Hour))
		e.OccurredAt = e.ReceivedAt
		if n%2 == 1 {
			e.Environment = "staging"
		}
		added := h.addEvents(e)
		issue, ids = added.IssueID, append(ids, added.ID)
	}
	h.now = noon.Add(3 * time.Hour)
	other := h.addEvents(h.newEvent("ship", 1))
	ask := func(args string) (marks [5]any, complete any) {
		data := h.callData(reader, op, fmt.Sprintf(`{"id": %d%s}`, issue, args))
		for i, name := range []string{"event", "first", "previous", "next", "latest"} {
			if mark, found := data[name].(object); found {
				marks[i] = int64(mark["id"].(float64))
			}
		}
		return marks, data["complete"]
	}
	for args, want := range map[string][5]any{
		``:                                   {ids[4], ids[0], ids[3], nil, ids[4]},
		fmt.Sprintf(`, "event": %d`, ids[0]): {ids[0], ids[0], nil, ids[1], ids[4]},
		fmt.Sprintf(`, "event": %d`, ids[2]): {ids[2], ids[0], ids[1], ids[3], ids[4]},
		fmt.Sprintf(`, "event": %d, "environment": "staging"`, ids[2]): {ids[2], ids[1], ids[1], ids[3], ids[3]},
		`, "environment": "staging"`:                                   {ids[3], ids[1], ids[1], nil, ids[3]},
		fmt.Sprintf(`, "event": %d, "tag": "half:1"`, ids[2]):          {ids[2], ids[1], ids[1], ids[3], ids[3]},
		`, "tag": "half:2"`:                                            {},
		fmt.Sprintf(`, "event": %d, "since": "150m"`, ids[0]):          {ids[0], ids[2], nil, ids[2], ids[4]},
		fmt.Sprintf(`, "event": %d, "release": "no such"`, ids[0]):     {ids[0]},
		fmt.Sprintf(`, "event": %d, "user": "0123456789ab"`, ids[0]):   {ids[0]},
	} {
		marks, complete := ask(args)
		require.Equal(t, want, marks, args)
		require.Equal(t, true, complete)
	}
	first := h.callData(reader, op, idArgs(issue))["first"].(object)
	h.sameJSON(object{"id": ids[0], "event_id": first["event_id"], "timestamp": noonText, "received_at": noonText}, mustJSON(t, first))
	byEventID, _ := ask(fmt.Sprintf(`, "event": %q`, first["event_id"]))
	require.Equal(t, ids[0], byEventID[0])
	for _, event := range []any{other.ID, 99, hex.EncodeToString(make([]byte, 16))} {
		h.sameJSON(object{"error": "not_found"}, h.mustFail(reader, op, fmt.Sprintf(`{"id": %d, "event": "%v"}`, issue, event)))
	}
	h.sameJSON(object{"error": "not_found"}, h.mustFail(reader, op, `{"id": 99}`))
	h.mustRefuse(op, fmt.Sprintf(`{"id": %d, "tag": "half"}`, issue), "tag")
	h.mustRefuse(op, fmt.Sprintf(`{"id": %d, "event": "x"}`, issue), "event")
	h.changeRows(`DELETE FROM events`)
	h.sameJSON(object{"data": object{"event": nil, "first": nil, "previous": nil, "next": nil, "latest": nil, "complete": true}},
		h.mustCall(reader, op, idArgs(issue)))
}
