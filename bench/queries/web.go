package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"errand/bench"
	"errand/testkit/crashes"
)

const partWeb = "web" // of -only

// comparison is a page beside the calls that it is measured against, in the same run.
type comparison struct {
	page, yardstick string  // what they are, in words
	factor, more    float64 // the page may take so many times the yardstick, and so many milliseconds more

	pageTime, time float64 // medians in milliseconds
	postgres       float64 // milliseconds of Postgres in a page, on average
	statements     int     // of a page
}

func (c comparison) allowed() float64 { return c.factor*c.time + c.more }

// weight is what a page weighs, in bytes as they are sent.
type weight struct {
	page        string
	bytes, most int
}

// webResult is what the pages cost.
type webResult struct {
	times   []comparison
	weights []weight
	open    openPages
}

// measureWeb measures the pages as a person who is signed in sees them.
func (c *client) measureWeb(ctx context.Context) (webResult, error) {
	var r webResult
	if err := c.createPerson(ctx); err != nil {
		return r, err
	}
	v, err := c.openVisitor(ctx)
	if err != nil {
		return r, err
	}
	usual, large, err := c.sendCrashes(ctx)
	if err != nil {
		return r, err
	}
	if r.times, err = c.compareWithCalls(ctx, v, usual); err != nil {
		return r, err
	}
	for _, w := range []struct {
		page, path string
		most       int
	}{
		{"issues", "/", 12 << 10},
		{"issue with an event of 8 KB", issuePage(usual), 25 << 10},
		{"issue with an event of 195 KB", issuePage(large), 60 << 10},
		{"the same with everything", issuePage(large) + "?frames=all", 0},
		{"issue with the most events", issuePage(c.data.busy), 25 << 10},
	} {
		got, err := v.get(ctx, w.path, "")
		if err != nil {
			return r, err
		}
		r.weights = append(r.weights, weight{w.page, len(got.body), w.most})
	}
	r.open, err = c.measureOpenPages(ctx, v)
	return r, err
}

func issuePage(id int64) string { return fmt.Sprintf("/issues/%d", id) }

// sendCrashes sends an ordinary event and a large one, and returns the ids of their issues.
func (c *client) sendCrashes(ctx context.Context) (usual, large int64, err error) {
	project, err := c.MakeProject(ctx, "Pages")
	if err != nil {
		return 0, 0, err
	}
	key, _, _ := strings.Cut(strings.TrimPrefix(project.DSN, "http://"), "@")
	for size, id := range map[int]*int64{8 << 10: &usual, 195 << 10: &large} {
		text, err := c.Call(ctx, http.MethodPost, "/v1/ingest?key="+key, string(crashes.Make(size, uint64(size))))
		if err != nil {
			return 0, 0, err
		}
		var receipt struct {
			Data struct {
				IssueID int64 `json:"issue_id"`
			}
		}
		if err := json.Unmarshal(text, &receipt); err != nil {
			return 0, 0, err
		}
		*id = receipt.Data.IssueID
	}
	return usual, large, nil
}

// compareWithCalls opens each page and makes the calls beside it, alternately.
func (c *client) compareWithCalls(ctx context.Context, v *visitor, usual int64) ([]comparison, error) {
	var list []comparison
	open := func(path string) func() error { return func() error { _, err := v.get(ctx, path, ""); return err } }
	for _, sort := range []string{"priority", "last_seen"} {
		calls := func() error { _, err := c.getPath(ctx, "/issues?status=open&sort="+sort); return err }
		one := comparison{page: "issues by " + sort, yardstick: "list_issues of 25", factor: 1.5, more: 5}
		if err := c.compare(ctx, &one, open("/?sort="+sort), calls); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	for _, of := range []struct {
		name string
		id   int64
	}{{"issue with an event of 8 KB", usual}, {"issue with the most events", c.data.busy}} {
		event, err := c.findLatestEvent(ctx, of.id)
		if err != nil {
			return nil, err
		}
		calls := func() error {
			_, err := c.getPath(ctx, issuePage(of.id))
			if err == nil {
				_, err = c.getPath(ctx, event)
			}
			return err
		}
		one := comparison{page: of.name, yardstick: "get_issue and get_event", factor: 2, more: 8}
		if err := c.compare(ctx, &one, open(issuePage(of.id)), calls); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// findLatestEvent returns the path of an issue's newest event.
func (c *client) findLatestEvent(ctx context.Context, issue int64) (string, error) {
	text, err := c.getPath(ctx, issuePage(issue)+"/events?limit=1")
	if err != nil {
		return "", err
	}
	var found struct{ Data []struct{ ID int64 } }
	if err := json.Unmarshal(text, &found); err != nil || len(found.Data) == 0 {
		return "", fmt.Errorf("the events of issue %d: %s", issue, text)
	}
	return fmt.Sprintf("/events/%d", found.Data[0].ID), nil
}

// compare times a page and the calls beside it in rounds, so that what else the machine does reaches both.
func (c *client) compare(ctx context.Context, one *comparison, page, calls func() error) error {
	const rounds, logged = 10, 20
	var pageTimes, times []float64
	for round := range rounds + 1 {
		more, err := timeCalls(max(c.calls/rounds, 3), page)
		if err != nil {
			return fmt.Errorf("%s: %w", one.page, err)
		}
		others, err := timeCalls(max(c.calls/rounds, 3), calls)
		if err != nil {
			return fmt.Errorf("%s: %w", one.yardstick, err)
		}
		if round > 0 { // the first one warms up
			pageTimes, times = slices.Concat(pageTimes, more), slices.Concat(times, others)
		}
	}
	one.pageTime, one.time = bench.TakeMedian(pageTimes), bench.TakeMedian(times)
	spent, err := c.postgresTime(ctx, func() error { _, err := timeCalls(logged, page); return err })
	if err != nil {
		return err
	}
	one.postgres = spent / logged
	if one.statements, err = c.countStatements(ctx, func() error { _, err := timeCalls(logged, page); return err }); err != nil {
		return err
	}
	one.statements /= logged
	fmt.Printf("  %-30s %6.2f ms, %s %6.2f ms, allowed %6.2f ms; Postgres %6.2f ms, %d statements\n",
		one.page, one.pageTime, one.yardstick, one.time, one.allowed(), one.postgres, one.statements)
	return nil
}
