package brief_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/blob"
	"errand/brief"
	"errand/core"
	"errand/grouping"
	"errand/ingest"
	"errand/store"
	"errand/store/storetest"
	"errand/tools"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// object is a JSON object.
type object = map[string]any

const shopKey = "5h0p0000000000000000000000000000"

// shop is a project on a separate database that receives events the way SDKs send them.
type shop struct {
	testing.TB
	*storetest.Clock
	store    *store.Store
	ingest   *ingest.Ingest
	registry *core.Registry
}

func openShop(t testing.TB) *shop {
	t.Helper()
	s := &shop{TB: t, Clock: storetest.NewClock()}
	s.store = storetest.NewAt(t, s.Tell)
	_, err := s.store.CreateProject(t.Context(), core.NewBootstrapActor(),
		store.NewProject{ID: storetest.Shop, Name: "Shop", Platform: "node", PublicKey: shopKey})
	require.NoError(t, err)
	blobs, err := blob.OpenStore("file://"+t.TempDir(), os.Getenv)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, blobs.Close()) })
	s.registry, err = tools.New(tools.Options{
		Store: s.store, Random: rand.Reader, FindStoredType: grouping.FindStoredType, Blobs: blobs,
	}).Registry(slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	s.ingest = ingest.New(ingest.Options{
		Store: s.store, Clock: s.Tell, Random: rand.Reader, InstallKey: []byte("install"), Log: slog.New(slog.DiscardHandler), Blobs: blobs,
	})
	t.Cleanup(s.ingest.Close)
	return s
}

// callOperation makes a call, which must succeed, and returns its answer.
func (s *shop) callOperation(op *core.Operation, args object) string {
	s.Helper()
	return s.callWith(op, args, nil)
}

func (s *shop) callWith(op *core.Operation, args object, body *core.FileBody) string {
	s.Helper()
	actor := storetest.MakeActor(7, core.Admin)
	answer, failure := s.registry.Call(s.Context(), op, core.Call{Actor: actor, RequestID: "1", Body: body}, args)
	require.Nil(s, failure, "%s: %v", op.Name, failure)
	return string(answer.Body)
}

// sendEvent sends an event as an SDK does, and returns the id of its issue.
func (s *shop) sendEvent(event []byte) int64 {
	s.Helper()
	var compact bytes.Buffer
	require.NoError(s, json.Compact(&compact, event))
	envelope := fmt.Sprintf("{}\n{\"type\":\"event\",\"length\":%d}\n%s\n", compact.Len(), compact.String())
	r := httptest.NewRequestWithContext(s.Context(), http.MethodPost, fmt.Sprintf("/api/%d/envelope/?sentry_key=%s", storetest.Shop, shopKey),
		strings.NewReader(envelope))
	w := httptest.NewRecorder()
	s.ingest.Handler().ServeHTTP(w, r)
	require.Equal(s, http.StatusOK, w.Code, w.Body)
	issues, err := s.store.ListIssues(s.Context(), store.IssueFilter{Sort: core.ByLastSeen, Paging: core.Paging{Limit: 1}})
	require.NoError(s, err)
	require.NotEmpty(s, issues.Data)
	return issues.Data[0].ID
}

// readEvent returns an event of the test data.
func readEvent(t testing.TB, name string) []byte {
	t.Helper()
	return readFile(t, name+".json")
}

func readFile(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/events/" + name)
	require.NoError(t, err)
	return text
}

// changeEvent returns the event with members replaced.
func changeEvent(t testing.TB, event []byte, members object) []byte {
	t.Helper()
	var changed object
	require.NoError(t, json.Unmarshal(event, &changed))
	for name, value := range members {
		changed[name] = value
	}
	text, err := json.Marshal(changed)
	require.NoError(t, err)
	return text
}

// knownFence is a source of random bytes that always makes the same id.
func knownFence() io.Reader { return strings.NewReader("\x01\x23\x45\x67\x89\xab\xcd\xef") }

// buildBrief makes the brief of an issue for a runner.
func (s *shop) buildBrief(id int64, budget int) core.Brief {
	s.Helper()
	made, err := brief.BuildBrief(s.Context(), s.store, id, brief.Options{Budget: budget, Reader: brief.RunnerActor(), Random: knownFence()})
	require.NoError(s, err)
	return made
}
