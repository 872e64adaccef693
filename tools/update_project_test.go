package tools_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

func TestUpdateProject(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	op := core.UpdateProject.Operation
	shown := withChanges(shopProject, object{"dsns": []string{shopDSN}})
	for _, c := range []struct {
		change  string
		changes object // to the project
	}{
		{`"repository": "Acme/Web-Shop.js"`, object{"repository": "acme/web-shop.js"}},
		{`"repository": null`, object{"repository": nil}},
		{`"trust": "low"`, object{"trust": "low", "source_trust": "low", "trust_setting": "low"}},
		{`"trust": null`, object{"trust": "high", "source_trust": "high", "trust_setting": nil}},
		{`"daily_quota": 1`, object{"daily_quota": 1}},
		{`"daily_quota": "1000000000"`, object{"daily_quota": 1_000_000_000}},
		{`"daily_quota": null`, object{"daily_quota": nil}},
		{`"scrub_keys": ["IBAN", "tax.id", "x-y_z"]`, object{"scrub_keys": []string{"IBAN", "tax.id", "x-y_z"}}},
		{`"scrub_keys": "iban, tax_id"`, object{"scrub_keys": []string{"iban", "tax_id"}}},
		{`"scrub_keys": []`, object{"scrub_keys": []string{}}},
		{`"scrub_patterns": ["ORD-\\d{1,9}", "(?<=card )\\w+"]`, object{"scrub_patterns": []string{`ORD-\d{1,9}`, `(?<=card )\w+`}}},
		{`"scrub_patterns": []`, object{"scrub_patterns": []string{}}},
		{`"allowed_origins": ["HTTPS://Shop.Example", "http://localhost:3000", "http://[::1]:80"]`,
			object{"allowed_origins": []string{"https://shop.example", "http://localhost:3000", "http://[::1]:80"}}},
		{`"allowed_origins": null`, object{"allowed_origins": nil}},
		{`"daily_quota": 7, "trust": "high", "scrub_keys": ["iban"]`,
			object{"daily_quota": 7, "trust_setting": "high", "scrub_keys": []string{"iban"}}},
	} {
		shown = withChanges(shown, c.changes)
		for _, ref := range []string{`"shop"`, fmt.Sprint(shop)} { // the second call changes nothing
			h.sameJSON(object{"data": shown}, h.mustCall(core.NewBootstrapActor(), op, fmt.Sprintf(`{"project": %s, %s}`, ref, c.change)))
		}
		h.sameJSON(object{"data": []any{shown}}, h.mustCall(reader, core.ListProjects.Operation, `{}`))
	}
}

func TestUpdateProjectRefuses(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	tooMany := func(text string, n int) string { return mustJSON(t, strings.Fields(strings.Repeat(text+" ", n))) }
	for _, c := range []struct{ change, path string }{
		{`"name": "Office"`, "name"},
		{`"platform": "node"`, "platform"},
		{`"demo": true`, "demo"},
		{`"repository": "acme"`, "repository"},
		{`"repository": "https://github.com/acme/shop"`, "repository"},
		{`"repository": "acme/shop/"`, "repository"},
		{`"repository": "acme/shop.git"`, "repository"},
		{`"repository": "acme/.."`, "repository"},
		{`"repository": "acme/shop\n"`, "repository"},
		{`"repository": ""`, "repository"},
		{`"repository": "acme/\u212aube"`, "repository"}, // looks like Kube
		{`"trust": "medium"`, "trust"},
		{`"trust": ""`, "trust"},
		{`"daily_quota": 0`, "daily_quota"},
		{`"daily_quota": -1`, "daily_quota"},
		{`"daily_quota": 1000000001`, "daily_quota"},
		{`"daily_quota": 1.5`, "daily_quota"},
		{`"scrub_keys": null`, "scrub_keys"},
		{`"scrub_keys": ["a b"]`, "scrub_keys.0"},
		{`"scrub_keys": ["a", ""]`, "scrub_keys.1"},
		{`"scrub_keys": ["ä"]`, "scrub_keys.0"},
		{`"scrub_keys": ["a\u0000"]`, "scrub_keys.0"},
		{`"scrub_keys": ` + tooMany("a", 51), "scrub_keys"},
		{`"scrub_patterns": null`, "scrub_patterns"},
		{`"scrub_patterns": "a{1,3}"`, "scrub_patterns"}, // a single pattern
		{`"scrub_patterns": ["ok", "("]`, "scrub_patterns.1"},
		{`"scrub_patterns": ["a*"]`, "scrub_patterns.0"},
		{`"scrub_patterns": ["ok", "ok", "(.*)\\1x"]`, "scrub_patterns.2"},
		{`"scrub_patterns": [""]`, "scrub_patterns.0"},
		{`"scrub_patterns": [5]`, "scrub_patterns.0"},
		{fmt.Sprintf(`"scrub_patterns": [%q]`, strings.Repeat("ü", 201)), "scrub_patterns.0"},
		{`"scrub_patterns": ` + tooMany("a", 11), "scrub_patterns"},
		{`"allowed_origins": []`, "allowed_origins"},
		{`"allowed_origins": ` + tooMany("https://a", 21), "allowed_origins"},
		{`"allowed_origins": ["https://shop.example", "shop.example"]`, "allowed_origins.1"},
		{`"allowed_origins": ["https://shop.example/"]`, "allowed_origins.0"},
		{`"allowed_origins": ["https://*.example"]`, "allowed_origins.0"},
		{`"allowed_origins": ["*"]`, "allowed_origins.0"},
		{`"allowed_origins": ["null"]`, "allowed_origins.0"},
		{`"allowed_origins": ["ftp://shop.example"]`, "allowed_origins.0"},
		{`"allowed_origins": ["https://ada@shop.example"]`, "allowed_origins.0"},
		{`"allowed_origins": ["https://shop.example?x"]`, "allowed_origins.0"},
		{`"allowed_origins": ["https://shop.example:65536"]`, "allowed_origins.0"},
		{`"allowed_origins": ["https://shop.example:"]`, "allowed_origins.0"},
		{`"allowed_origins": ["https://"]`, "allowed_origins.0"},
		{`"allowed_origins": ["https://\u017fhop.example"]`, "allowed_origins.0"},
		{`"allowed_origins": ["https://shop.example\n"]`, "allowed_origins.0"},
	} {
		h.mustRefuse(core.UpdateProject.Operation, `{"project": "shop", `+c.change+`}`, c.path)
	}
	h.mustRefuse(core.UpdateProject.Operation, `{"project": "shop"}`, "")
	h.sameJSON(object{"data": []any{withChanges(shopProject, object{"dsns": []string{shopDSN}})}},
		h.mustCall(reader, core.ListProjects.Operation, `{}`))
}

// TestUpdateProjectNamesEveryMistake checks that each key and pattern is named, with its reason, and nothing is saved.
func TestUpdateProjectNamesEveryMistake(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	_, failure := h.callOperation(core.NewBootstrapActor(), core.UpdateProject.Operation,
		`{"project": "shop", "daily_quota": 5, "scrub_keys": ["a b", "fine"], "scrub_patterns": ["fine", "(", "a*"]}`)
	require.NotNil(t, failure)
	paths := map[string]string{}
	for _, d := range failure.Details {
		paths[d.Path] = d.Message
	}
	require.Len(t, paths, 3)
	require.Contains(t, paths["scrub_keys.0"], "letters, digits")
	require.NotEmpty(t, paths["scrub_patterns.1"])
	require.Contains(t, paths["scrub_patterns.2"], "empty text")
	project, err := h.store.ReadProject(t.Context(), shop)
	require.NoError(t, err)
	require.Nil(t, project.DailyQuota)
}

// When the caller hangs up, no unchecked pattern is stored.
func TestUpdateProjectOfAGoneCaller(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, failure := h.registry.Call(ctx, core.UpdateProject.Operation, core.Call{Actor: core.NewBootstrapActor()},
		map[string]any{"project": "shop", "scrub_patterns": []any{"a+b+c+d"}})
	require.NotNil(t, failure)
	require.Empty(t, h.log.String())
}
