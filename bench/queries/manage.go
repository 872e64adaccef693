package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"
)

const (
	partManage = "manage" // of -only

	manyApps   = 500 // including those loaded before
	commonTag  = "common"
	rareTag    = "rare"
	commonTags = 10 // every tenth issue has it
	rareTags   = 2000
)

// manageQueries are calls of the management API. The calls about problems use the project with the
// most issues.
func (c *client) manageQueries() []query {
	app := fmt.Sprintf("/apps/%d/problems", c.data.projects[0])
	of := func(filter string) string { return app + "?" + filter }
	day := func(days int) string { return c.data.now.AddDate(0, 0, -days).Format(time.DateOnly) }
	last := max(1, c.data.largest/25)
	notices := fmt.Sprintf("/apps/%d/problems/%d/notices", c.data.issues[c.data.busy-1].project, c.data.busy)
	queries := []query{
		{"latest", app, ""},
		{"oldest", of("sort=oldest"), ""},
		{"notices", of("sort=notices"), ""},
		{"latest, page 25", of("page=25"), ""},
		{"oldest, page 25", of("sort=oldest&page=25"), ""},
		{"notices, page 25", of("sort=notices&page=25"), ""},
		{"latest, in the middle", of(fmt.Sprintf("page=%d", last/2)), ""},
		{"notices, in the middle", of(fmt.Sprintf("sort=notices&page=%d", last/2)), ""},
		{"latest, last page", of(fmt.Sprintf("page=%d", last)), ""},
		{"notices, last page", of(fmt.Sprintf("sort=notices&page=%d", last)), ""},
		{"resolved", of("status=resolved"), ""},
		{"unresolved, by notices", of("status=unresolved&sort=notices"), ""},
		{"unresolved, page 25", of("status=unresolved&page=25"), ""},
		{"search, frequent", of("search=voucher"), ""},
		{"search, two letters", of("search=er"), ""},
		{"search, rare", of("search=zqxj"), ""},
		{"search, wildcards", of("search=" + url.QueryEscape("Time%vou_her")), ""},
		{"search, few that no three letters find", of("search=" + url.QueryEscape("c%rt_a")), "bounded"},
		{"a tag of every tenth", of("tags=" + commonTag), ""},
		{"a rare tag", of("tags=" + rareTag), ""},
		{"the last week", of("date_from=" + day(7)), ""},
		{"half a year ago", of("date_from=" + day(190) + "&date_to=" + day(180)), ""},
		{"at least 1 notice", of("min_notices=1"), ""},
		{"at least 50 notices, by notices", of("min_notices=50&sort=notices"), ""},
		{"all filters", of("status=unresolved&search=cart&tags=" + commonTag + "&min_notices=1&date_from=" + day(60)), ""},
	}
	for n := range queries {
		queries[n].name = "problems: " + queries[n].name
	}
	queries = append(queries, query{"notices", notices, ""}, query{"notices, page 4", notices + "?page=4", ""},
		query{fmt.Sprintf("apps, %d of them", manyApps), "/apps", ""})
	for n := range queries {
		queries[n].target = cmp.Or(queries[n].target, "p95 15")
	}
	return queries
}

// measureManage loads the data that only the management API has, and measures its reads.
func (c *client) measureManage(ctx context.Context) ([]row, error) {
	if err := c.loadTags(ctx); err != nil {
		return nil, err
	}
	for n := len(c.data.projects); n < manyApps; n++ {
		if _, err := c.MakeProject(ctx, fmt.Sprintf("App %d", n)); err != nil {
			return nil, err
		}
	}
	key, err := c.makeAPIKey(ctx)
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, q := range c.manageQueries() {
		r, err := c.measureCall(ctx, q.name, func() error { return c.readManaged(ctx, key, q.path) })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.name, err)
		}
		r.target = q.target
		r.printRow()
		rows = append(rows, r)
	}
	signIns, err := c.measureSignIn(ctx)
	return append(rows, signIns...), err
}

func (c *client) loadTags(ctx context.Context) error {
	for n, tag := range []struct {
		name  string
		every int
	}{{commonTag, commonTags}, {rareTag, rareTags}} {
		if _, err := c.DB.Exec(ctx, `INSERT INTO tags (id, name) VALUES ($1, $2)`, 1_000_000+n, tag.name); err != nil {
			return err
		}
		_, err := c.DB.Exec(ctx, `
INSERT INTO issue_tags (project_id, issue_id, tag_id) SELECT project_id, id, $1 FROM issues WHERE id % $2 = 0`, 1_000_000+n, tag.every)
		if err != nil {
			return err
		}
	}
	_, err := c.DB.Exec(ctx, `VACUUM ANALYZE tags, issue_tags`)
	return err
}

func (c *client) makeAPIKey(ctx context.Context) (string, error) {
	create := exec.CommandContext(ctx, c.binary, "api-key", "create", "--name", "bench",
		"--permission", "apps:read,problems:read,notices:read")
	create.Env = append(os.Environ(), "DATABASE_URL="+c.URL)
	out, err := create.Output()
	return strings.TrimSpace(string(out)), err
}

// readManaged makes a call of GET /api/v1<path>.
func (c *client) readManaged(ctx context.Context, key, path string) error {
	httpRequest, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.Addr+"/api/v1"+path, nil)
	if err != nil {
		return err
	}
	httpRequest.Header.Set("Service-API-Key", key)
	answer, err := http.DefaultClient.Do(httpRequest)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", path, answer.Status, text)
	}
	return err
}
