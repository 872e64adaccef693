package tools_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/storetest"
)

// shopProject is the project shop on the wire, without its DSNs.
var shopProject = object{
	"id": shop, "name": "Shop", "slug": "shop", "platform": "go", "created_at": noonText, "repository": nil, "trust": "high",
	"trust_setting": nil, "source_trust": "high", "source": nil, "server_seen_at": nil, "client_seen_at": nil, "allowed_origins": nil,
	"daily_quota": nil, "scrub_keys": []string{}, "scrub_patterns": []string{}, "events_24h": 0, "events_today": 0, "last_event_at": nil,
	"demo": false,
}

func TestListProjects(t *testing.T) {
	t.Parallel()
	h := openEmpty(t)
	h.sameJSON(object{"data": []any{}}, h.mustCall(reader, core.ListProjects.Operation, `{}`))
	created := h.callData(core.NewBootstrapActor(), core.CreateProject.Operation, `{"name": "Shop"}`)
	dsn := created["dsn"]
	delete(created, "dsn")
	created["dsns"] = []any{dsn}
	h.sameJSON(object{"data": []any{created}}, h.mustCall(reader, core.ListProjects.Operation, `{}`))
}

func TestListProjectsShowsEverything(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	h.sameJSON(object{"data": []any{withChanges(shopProject, object{"dsns": []string{shopDSN}})}},
		h.mustCall(reader, core.ListProjects.Operation, `{}`))

	e := h.newEvent("pay", 1)
	e.Source = core.SourceMobile
	h.addEvents(e, h.newEvent("pay", 2))
	h.changeRows(`UPDATE projects SET repository = 'acme/shop', trust_setting = 'high', daily_quota = 5, scrub_keys = '{iban}',
		scrub_patterns = '{a<b}', allowed_origins = '{https://shop.example}', demo = true`)
	key := h.callData(core.NewBootstrapActor(), core.CreateProjectKey.Operation, `{"project": "shop"}`)
	dsns := []any{shopDSN, key["dsn"]}
	if key["public_key"].(string) < shopKey { // made in the same millisecond, so sorted by key
		dsns = []any{key["dsn"], shopDSN}
	}
	h.sameJSON(object{"data": []any{withChanges(shopProject, object{
		"dsns": dsns, "repository": "acme/shop", "trust_setting": "high", "source": "mixed",
		"server_seen_at": noonText, "client_seen_at": noonText, "last_event_at": noonText, "events_24h": 2, "events_today": 2,
		"daily_quota": 5, "scrub_keys": []string{"iban"}, "scrub_patterns": []string{"a<b"},
		"allowed_origins": []string{"https://shop.example"}, "demo": true,
	})}}, h.mustCall(reader, core.ListProjects.Operation, ``))
}

func TestCreateProject(t *testing.T) {
	t.Parallel()
	h := openEmpty(t)
	got := h.callData(core.NewBootstrapActor(), core.CreateProject.Operation, `{"name": "Shop", "platform": "go"}`)
	id := int64(got["id"].(float64))
	require.Regexp(t, `^[1-9][0-9]{9}$`, fmt.Sprint(id))
	require.Regexp(t, fmt.Sprintf(`^https://[0-9a-f]{32}@errors\.example/%d$`, id), got["dsn"])
	project, err := h.store.ReadProject(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, core.WriteDSN("https://errors.example", project.Keys[0], id), got["dsn"])
	delete(got, "dsn")
	h.sameJSON(withChanges(shopProject, object{"id": id}), mustJSON(t, got))

	other := h.callData(core.NewBootstrapActor(), core.CreateProject.Operation, `{"name": "Shop"}`)
	require.NotEqual(t, got["id"], other["id"])
	require.Equal(t, "shop-1", other["slug"])
	require.Nil(t, other["platform"])
}

func TestCreateProjectRefuses(t *testing.T) {
	t.Parallel()
	h := openEmpty(t)
	op := core.CreateProject.Operation
	for args, field := range map[string]string{
		`{}`:                         "name",
		`{"name": ""}`:               "name",
		`{"name": "  "}`:             "name",
		`{"name": "a\u202eb"}`:       "name",
		`{"name": 5}`:                "name",
		`{"name": "a", "slug": "b"}`: "slug",
		fmt.Sprintf(`{"name": %q}`, strings.Repeat("ü", 101)):                 "name",
		fmt.Sprintf(`{"name": "a", "platform": %q}`, strings.Repeat("ü", 33)): "platform",
	} {
		h.mustRefuse(op, args, field)
	}
	h.sameJSON(object{"data": []any{}}, h.mustCall(reader, core.ListProjects.Operation, `{}`))
	h.mustCall(core.NewBootstrapActor(), op, fmt.Sprintf(`{"name": %q, "platform": %q}`, strings.Repeat("ü", 100), strings.Repeat("ü", 32)))
}

// TestCreateProjectTakesAnotherID uses a random source that repeats a public id which is taken.
func TestCreateProjectTakesAnotherID(t *testing.T) {
	t.Parallel()
	key := func(b byte) []byte { return bytes.Repeat([]byte{b}, 16) }
	taken, free := []byte{0, 0, 0, 0, 1}, []byte{0, 0, 0, 0, 2}
	url := storetest.NewURL(t)
	h := openWith(t, url, bytes.NewReader(bytes.Join([][]byte{key(1), taken, key(2), taken, taken, free}, nil)))
	require.EqualValues(t, 1_000_000_001, h.callData(core.NewBootstrapActor(), core.CreateProject.Operation, `{"name": "First"}`)["id"])
	second := h.callData(core.NewBootstrapActor(), core.CreateProject.Operation, `{"name": "Second"}`)
	require.EqualValues(t, 1_000_000_002, second["id"])
	require.Equal(t, "https://02020202020202020202020202020202@errors.example/1000000002", second["dsn"])

	unlucky := openWith(t, url, bytes.NewReader(bytes.Join([][]byte{key(3), taken, taken, taken}, nil)))
	unlucky.sameJSON(object{"error": "internal", "request_id": "request-1"},
		unlucky.mustFail(core.NewBootstrapActor(), core.CreateProject.Operation, `{"name": "Third"}`))
	require.Contains(t, unlucky.log.String(), "the public id is taken")
}

func TestRandomSourceThatFails(t *testing.T) {
	t.Parallel()
	h := openWith(t, storetest.NewURL(t), iotest.ErrReader(errors.New("no entropy")))
	for op, args := range map[*core.Operation]string{
		core.CreateProject.Operation: `{"name": "Shop"}`,
		core.CreateToken.Operation:   `{"name": "fixer", "scopes": ["admin"]}`,
	} {
		h.log.Reset()
		h.sameJSON(object{"error": "internal", "request_id": "request-1"}, h.mustFail(core.NewBootstrapActor(), op, args))
		require.Contains(t, h.log.String(), "no entropy")
	}
	h.sameJSON(object{"data": []any{}}, h.mustCall(reader, core.ListProjects.Operation, `{}`))
	h.sameJSON(object{"data": []any{}}, h.mustCall(core.NewBootstrapActor(), core.ListTokens.Operation, `{}`))
}

func TestProjectKeys(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	create, remove := core.CreateProjectKey.Operation, core.DeleteProjectKey.Operation
	h.sameJSON(object{"error": "last_key"}, h.mustFail(core.NewBootstrapActor(), remove,
		fmt.Sprintf(`{"project": "shop", "key": %q}`, shopKey)))

	for n, ref := range []string{`"shop"`, `1000000001`, `"1000000001"`} {
		got := h.callData(core.NewBootstrapActor(), create, fmt.Sprintf(`{"project": %s}`, ref))
		key := got["public_key"].(string)
		require.Regexp(t, `^[0-9a-f]{32}$`, key)
		require.Equal(t, object{"public_key": key, "dsn": "https://" + key + "@errors.example/1000000001"}, got)
		project, err := h.store.ReadProject(t.Context(), shop)
		require.NoError(t, err)
		require.Contains(t, project.Keys, key)
		require.Len(t, project.Keys, 2+n)
	}

	require.Empty(t, h.mustCall(core.NewBootstrapActor(), remove, fmt.Sprintf(`{"project": "shop", "key": %q}`, shopKey)))
	h.sameJSON(object{"error": "not_found"}, h.mustFail(core.NewBootstrapActor(), remove,
		fmt.Sprintf(`{"project": "shop", "key": %q}`, shopKey)))
	h.sameJSON(object{"error": "not_found"}, h.mustFail(core.NewBootstrapActor(), remove, `{"project": "shop", "key": "unknown"}`))
	h.sameJSON(object{"error": "project_not_found"},
		h.mustFail(core.NewBootstrapActor(), remove, fmt.Sprintf(`{"project": "office", "key": %q}`, shopKey)))
}
