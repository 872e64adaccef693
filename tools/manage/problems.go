package manage

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"errand/core"
	"errand/core/manage"
	"errand/store"
)

// classOfMessages is the class of an issue whose events are plain messages.
const classOfMessages = "Message"

func showProblem(p store.Problem) (manage.Problem, error) {
	shown := manage.Problem{
		ID: p.ID, AppID: p.ProjectID, Fingerprint: hex.EncodeToString(p.Fingerprint), Status: manage.Unresolved,
		NoticesCount: p.StoredEvents, DeduplicatedCount: max(0, p.TimesSeen-p.StoredEvents),
		FirstNoticedAt: manage.At(p.FirstSeen), LastNoticedAt: manage.At(p.LastSeen), CreatedAt: manage.At(p.FirstSeen),
		UpdatedAt: manage.At(p.LastSeen),
	}
	if p.StatusAt.After(p.LastSeen.Time) {
		shown.UpdatedAt = manage.At(p.StatusAt)
	}
	if p.IsResolved() {
		shown.Status, shown.ResolvedAt = manage.Resolved, manage.At(p.StatusAt)
	}
	shown.ErrorClass, shown.ErrorMessage = splitTitle(p.Type, p.Title)
	return shown, json.Unmarshal(p.Tags, &shown.Tags)
}

// splitTitle splits the title of an issue into class and message. The title may begin with the class.
func splitTitle(class, title string) (string, manage.AppText) {
	switch class {
	case "":
		return classOfMessages, manage.AppText(title)
	case title:
		return class, ""
	}
	return class, manage.AppText(strings.TrimPrefix(title, class+": "))
}

// lastDay returns the end of the day, which is the start of the next.
func lastDay(d manage.Date) (core.Time, error) {
	day, err := d.Day()
	if err != nil || day.IsZero() {
		return core.Time{}, err
	}
	return core.At(day.Add(24 * time.Hour)), nil
}

func firstDay(d manage.Date) (core.Time, error) {
	day, err := d.Day()
	return core.At(day), err
}

func (t *Handlers) listProblems(ctx context.Context, _ core.Call, in manage.ListProblemsInput) (manage.Pages[manage.Problem], error) {
	filter, err := t.makeFilter(ctx, in)
	if err != nil {
		return manage.Pages[manage.Problem]{}, err
	}
	found, total, err := t.Store.ListProblems(ctx, filter)
	if err != nil {
		return manage.Pages[manage.Problem]{}, err
	}
	shown := make([]manage.Problem, len(found))
	for i, problem := range found {
		if shown[i], err = showProblem(problem); err != nil {
			return manage.Pages[manage.Problem]{}, err
		}
	}
	return manage.NewPages(in.Numbering, shown, total), nil
}

func (t *Handlers) makeFilter(ctx context.Context, in manage.ListProblemsInput) (filter store.ProblemFilter, err error) {
	filter = store.ProblemFilter{
		Search: in.Search, MinNotices: in.MinNotices, Order: store.ProblemOrder(in.Sort), Limit: in.Limit(), Offset: in.Offset(),
	}
	if status := manage.ProblemStatus(in.Status); status == manage.Resolved || status == manage.Unresolved {
		isResolved := status == manage.Resolved
		filter.Resolved = &isResolved
	}
	for _, tag := range in.Tags {
		filter.Tags = append(filter.Tags, strings.ToLower(strings.TrimSpace(tag)))
	}
	if filter.Since, err = firstDay(in.DateFrom); err != nil {
		return filter, err
	}
	if filter.Before, err = lastDay(in.DateTo); err != nil {
		return filter, err
	}
	filter.ProjectID, err = t.Store.FindProjectByKey(ctx, in.App)
	return filter, err
}

func (t *Handlers) getProblem(ctx context.Context, _ core.Call, in manage.ProblemInput) (manage.Problem, error) {
	app, err := t.Store.FindProjectByKey(ctx, in.App)
	if err != nil {
		return manage.Problem{}, err
	}
	return t.readProblem(ctx, app, in.ID)
}

func (t *Handlers) readProblem(ctx context.Context, app, id int64) (manage.Problem, error) {
	problem, err := t.Store.ReadProblem(ctx, app, id)
	if err != nil {
		return manage.Problem{}, err
	}
	return showProblem(problem)
}

func (t *Handlers) resolveProblem(ctx context.Context, call core.Call, in manage.ProblemInput) (manage.Problem, error) {
	app, err := t.Store.FindProjectByKey(ctx, in.App)
	if err != nil {
		return manage.Problem{}, err
	}
	if _, err = t.Store.ResolveProblems(ctx, call.Actor, app, []int64{in.ID}); err != nil {
		return manage.Problem{}, err
	}
	return t.readProblem(ctx, app, in.ID)
}

func (t *Handlers) unresolveProblem(ctx context.Context, call core.Call, in manage.ProblemInput) (manage.Problem, error) {
	problem, err := t.getProblem(ctx, call, in)
	if err != nil {
		return manage.Problem{}, err
	}
	if err := t.Store.UnresolveProblem(ctx, call.Actor, in.ID); err != nil {
		return manage.Problem{}, err
	}
	return t.readProblem(ctx, problem.AppID, in.ID)
}

func (t *Handlers) resolveProblems(ctx context.Context, call core.Call, in manage.ResolveProblemsInput) (manage.ResolvedProblems, error) {
	if len(in.IDs) == 0 {
		return manage.ResolvedProblems{}, manage.RefuseInput("problem_ids is required")
	}
	app, err := t.Store.FindProjectByKey(ctx, in.App)
	if err != nil {
		return manage.ResolvedProblems{}, err
	}
	count, err := t.Store.ResolveProblems(ctx, call.Actor, app, in.IDs)
	return manage.ResolvedProblems{Message: fmt.Sprintf("%d problem(s) marked as resolved", count), Count: count}, err
}
