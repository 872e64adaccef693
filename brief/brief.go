// Package brief gathers what an agent needs to start on an issue (decisions 7). Package prompts words it.
package brief

import (
	"cmp"
	"context"
	"encoding/hex"
	"io"
	"slices"
	"sync"

	"errand/core"
	"errand/prompts"
	"errand/store"
)

// Options says for whom a brief is.
type Options struct {
	Budget int        // tokens that the Markdown may have, within the bounds in core; 0 for the default
	Reader core.Actor // only operations that it may call are proposed; see RunnerActor
	AnyOne bool       // whoever claims the issue reads it: nobody holds it yet, as far as the reader is concerned
	Random io.Reader  // cryptographically strong: from it is the id of the fences
}

// similarShown is how many similar issues a brief has.
const similarShown = 5

// RunnerActor stands for a reader that is not known, as that of a webhook is not: it may work on issues.
func RunnerActor() core.Actor {
	return core.Actor{Type: core.ActorToken, Name: "runner", Scopes: core.List[core.Scope]{core.IssuesRead, core.IssuesWrite}}
}

// BuildBrief makes the brief of an issue. An unknown or merged issue is not_found.
func BuildBrief(ctx context.Context, s *store.Store, id int64, o Options) (core.Brief, error) {
	facts, err := GatherFacts(ctx, s, id, o.Reader)
	if err != nil {
		return core.Brief{}, err
	}
	return RenderFacts(facts, s.Now(), o)
}

// RenderFacts makes the brief of what was gathered.
func RenderFacts(facts core.IssueFacts, now core.Time, o Options) (core.Brief, error) {
	fence, err := makeFenceID(o.Random)
	if err != nil {
		return core.Brief{}, err
	}
	return prompts.RenderBrief(facts, prompts.BriefForm{
		Budget: cmp.Or(o.Budget, core.DefaultBriefBudget), FenceID: fence, Reader: o.Reader, AnyOne: o.AnyOne, Now: now,
	}), nil
}

// GatherFacts reads what is known of an issue. Similar ones are looked for where find_similar looks for the reader, at the same time
// as the rest is read. An unknown or merged issue is not_found.
func GatherFacts(ctx context.Context, s *store.Store, id int64, reader core.Actor) (core.IssueFacts, error) {
	var (
		similar    []core.KnownSimilar
		similarErr error
		reading    sync.WaitGroup
	)
	if !s.Settings().SimilarOff {
		reading.Go(func() { similar, similarErr = findSimilar(ctx, s, id, reader) })
	}
	facts, err := s.ReadIssueFacts(ctx, id)
	if err == nil && facts.Issue.StoredEvents > 1 { // the tags of a single event stand in it
		facts.Tags, err = countTags(ctx, s, id)
	}
	reading.Wait()
	facts.Similar = keepTelling(&facts.Issue.Issue, similar)
	return facts, cmp.Or(err, similarErr)
}

// farScore is what an issue of another project or another language must score at least to be told: below, nothing but common words
// is alike.
const farScore = 0.3

// keepTelling leaves out the issues that are similar by chance.
func keepTelling(issue *core.Issue, similar []core.KnownSimilar) []core.KnownSimilar {
	return slices.DeleteFunc(similar, func(s core.KnownSimilar) bool {
		isFar := s.Issue.ProjectID != issue.ProjectID || s.Issue.Platform != issue.Platform
		return isFar && s.Score < farScore
	})
}

// Bounds of counting an issue's tags: how many of its newest events are read, and how many values of each tag are kept.
const (
	taggedEvents = 50
	tagValues    = 3
)

func countTags(ctx context.Context, s *store.Store, id int64) (tags []core.TagShares, err error) {
	defer core.CatchPanic(&err)
	return s.CountTags(ctx, id, taggedEvents, tagValues)
}

func findSimilar(ctx context.Context, s *store.Store, id int64, reader core.Actor) (known []core.KnownSimilar, err error) {
	defer core.CatchPanic(&err)
	found, err := s.FindSimilar(ctx, store.SimilarQuery{IssueID: id, ProjectID: int64(reader.ProjectID), Limit: similarShown})
	if err != nil {
		return nil, err
	}
	return s.ReadKnownSimilar(ctx, found)
}

// makeFenceID makes what the monitored app cannot know: 64 random bits.
func makeFenceID(random io.Reader) (string, error) {
	var id [8]byte
	if _, err := io.ReadFull(random, id[:]); err != nil {
		return "", err
	}
	return hex.EncodeToString(id[:]), nil
}
