// Package brief gathers what an agent needs to start on an issue (decisions 7). Package prompts writes the text.
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

// Options describe the reader of a brief.
type Options struct {
	Budget int        // tokens of the Markdown, within the bounds in core; 0 for the default
	Reader core.Actor // only operations that it may call are proposed; see RunnerActor
	AnyOne bool       // for any agent that will claim the issue: to the reader, nobody holds it yet
	Random io.Reader  // cryptographically strong; for the id of the fences
}

// similarShown is how many similar issues a brief has.
const similarShown = 5

// RunnerActor stands for an unknown reader, such as the reader of a webhook's delivery. It may work on issues.
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

// RenderFacts makes a brief from the gathered facts.
func RenderFacts(facts core.IssueFacts, now core.Time, o Options) (core.Brief, error) {
	fence, err := makeFenceID(o.Random)
	if err != nil {
		return core.Brief{}, err
	}
	return prompts.RenderBrief(facts, prompts.BriefForm{
		Budget: cmp.Or(o.Budget, core.DefaultBriefBudget), FenceID: fence, Reader: o.Reader, AnyOne: o.AnyOne, Now: now,
	}), nil
}

// GatherFacts reads what is known about an issue. In parallel it looks for similar issues, where find_similar would
// look for the reader. An unknown or merged issue is not_found.
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
	if err == nil && facts.Issue.StoredEvents > 1 { // a single event shows its own tags
		facts.Tags, err = countTags(ctx, s, id)
	}
	reading.Wait()
	facts.Similar = keepTelling(&facts.Issue.Issue, similar)
	return facts, cmp.Or(err, similarErr)
}

// farScore is the lowest score for issues of another project or another language. Below it, only common words are alike.
const farScore = 0.3

// keepTelling leaves out issues that are similar by chance.
func keepTelling(issue *core.Issue, similar []core.KnownSimilar) []core.KnownSimilar {
	return slices.DeleteFunc(similar, func(s core.KnownSimilar) bool {
		isFar := s.Issue.ProjectID != issue.ProjectID || s.Issue.Platform != issue.Platform
		return isFar && s.Score < farScore
	})
}

// The bounds for counting an issue's tags: how many of its newest events are read, and how many values of each tag are kept.
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

// makeFenceID makes an id that the monitored app cannot know: 64 random bits.
func makeFenceID(random io.Reader) (string, error) {
	var id [8]byte
	if _, err := io.ReadFull(random, id[:]); err != nil {
		return "", err
	}
	return hex.EncodeToString(id[:]), nil
}
