package ingest

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/envelope"
)

// TestProcessKeepsNothingOfTheDecoder shows that an event waiting for its commit shares no memory with the decoder, which is used
// again.
func TestProcessKeepsNothingOfTheDecoder(t *testing.T) {
	t.Parallel()
	i := newTaker(t)
	q := &httpRequest{Request: &http.Request{}, receivedAt: core.At(time.Now()), waiting: t.Context()}
	var d envelope.Decoder
	for _, platform := range []string{"node", "browser", "python", "go", "java", "php"} {
		t.Run(platform, func(t *testing.T) {
			text, err := os.ReadFile("../envelope/testdata/" + platform + ".json")
			require.NoError(t, err)
			e, err := d.Decode(text, envelope.Hints{ReceivedAt: q.receivedAt.Time})
			require.NoError(t, err)
			event, err := i.processEvent(i.project, q, e)
			require.NoError(t, err)
			before, err := json.Marshal(event)
			require.NoError(t, err)

			e, err = d.Decode([]byte(poison), envelope.Hints{ReceivedAt: q.receivedAt.Time})
			require.NoError(t, err)
			_, err = i.processEvent(i.project, q, e)
			require.NoError(t, err)
			after, err := json.Marshal(event)
			require.NoError(t, err)
			require.Equal(t, string(before), string(after))
		})
	}
}

// poison is an event that shares no value with others.
const poison = `{"event_id":"ffffffffffffffffffffffffffffffff","platform":"poison","level":"debug","release":"poison",
	"environment":"poison",
	"exception":[{"type":"Poison","value":"poison","mechanism":{"handled":true},
		"stacktrace":{"frames":[{"function":"poison","filename":"poison"}]}}],
	"breadcrumbs":[{"message":"poison","data":{"poison":["poison"]}}],"tags":{"poison":"poison"},"extra":{"poison":{"poison":"poison"}}}`
