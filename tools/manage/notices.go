package manage

import (
	"cmp"
	"context"
	"maps"
	"strings"

	"errand/core"
	"errand/core/manage"
	"errand/store"
)

func (t *Handlers) listNotices(ctx context.Context, _ core.Call, in manage.ListNoticesInput) (manage.Pages[manage.Notice], error) {
	filter := store.NoticeFilter{IssueID: in.Problem, Limit: in.Limit(), Offset: in.Offset()}
	var err error
	if filter.Since, err = firstDay(in.DateFrom); err != nil {
		return manage.Pages[manage.Notice]{}, err
	}
	if filter.Before, err = lastDay(in.DateTo); err != nil {
		return manage.Pages[manage.Notice]{}, err
	}
	if filter.ProjectID, err = t.Store.FindProjectByKey(ctx, in.App); err != nil {
		return manage.Pages[manage.Notice]{}, err
	}
	events, total, err := t.Store.ListNotices(ctx, filter)
	shown := make([]manage.Notice, len(events))
	for i := range events {
		shown[i] = showNotice(&events[i])
	}
	return manage.NewPages(in.Numbering, shown, total), err
}

func (t *Handlers) getNotice(ctx context.Context, _ core.Call, in manage.NoticeInput) (manage.Notice, error) {
	app, err := t.Store.FindProjectByKey(ctx, in.App)
	if err != nil {
		return manage.Notice{}, err
	}
	event, err := t.Store.ReadEvent(ctx, in.ID)
	if err == nil && (event.ProjectID != app || event.IssueID != in.Problem) {
		err = core.NewError(core.NotFound)
	}
	if err != nil {
		return manage.Notice{}, err
	}
	return showNotice(&event), nil
}

func showNotice(stored *core.EventDetail) manage.Notice {
	event := &stored.Event
	class := ""
	if len(event.Exceptions) > 0 {
		class = string(event.Exceptions[0].Type)
	}
	shown := manage.Notice{
		ID: stored.ID, ProblemID: stored.IssueID, OccurredAt: manage.At(stored.Timestamp), CreatedAt: manage.At(stored.ReceivedAt),
		UpdatedAt: manage.At(stored.ReceivedAt), Context: showContext(event), Request: showRequest(event),
		UserInfo: memberObject(event.User), Backtrace: showBacktrace(event),
		Notifier: showNotifier(event),
	}
	shown.ErrorClass, shown.ErrorMessage = splitTitle(class, string(event.Title))
	return shown
}

// showContext is what the app sent about the moment of the error: its extra data, and the contexts and tags under their own names.
func showContext(event *core.Event) manage.Object {
	shown := memberObject(event.Extra)
	shown["contexts"], shown["tags"] = event.Contexts, event.Tags
	shown["environment"], shown["release"] = event.Environment, event.Release
	return dropEmpty(shown)
}

// showRequest is the HTTP request, with the sender's other data about it (envelope.Decoder.DecodeNotice).
func showRequest(event *core.Event) manage.Object {
	request := event.Request
	if request == nil {
		return nil
	}
	shown := manage.Object{
		"url": request.URL, "method": request.Method, "query": request.Query, "headers": request.Headers, "cookies": request.Cookies,
		"body": request.Data,
	}
	maps.Copy(shown, memberObject(event.Contexts.Get("request"))) // has url and query as they were sent
	return dropEmpty(shown)
}

// showNotifier is the client that sent the event. Platforms appear under the name of their language.
func showNotifier(event *core.Event) manage.Object {
	language := core.Untrusted(event.Platform)
	if language == "node" {
		language = "javascript"
	}
	return dropEmpty(manage.Object{
		"name": event.SDK.Name, "version": event.SDK.Version, "language": language,
		"language_version": event.Contexts.Get("runtime").Get("version"),
	})
}

// memberObject makes an object of the members of a value; an empty one when the value is not an object.
func memberObject(value core.Value) manage.Object {
	members := manage.Object{}
	if value.Kind == core.Object {
		for _, member := range value.Kids {
			members[member.Key] = member.Value
		}
	}
	return members
}

// dropEmpty removes empty members.
func dropEmpty(object manage.Object) manage.Object {
	for name, member := range object {
		text, isText := member.(core.Untrusted)
		value, isValue := member.(core.Value)
		if isText && text == "" || isValue && value.IsEmpty() {
			delete(object, name)
		}
	}
	return object
}

// unknownMethod stands in for an unknown function in a line of a backtrace (management API, 1.5).
const unknownMethod = "unknown"

// showBacktrace returns the stack of the outermost exception that has one, else of the thread that crashed.
func showBacktrace(event *core.Event) core.List[manage.Line] {
	var frames []core.Frame
	for i := range event.Exceptions {
		if frames = event.Exceptions[i].Frames; len(frames) > 0 {
			break
		}
	}
	for i := 0; i < len(event.Threads) && len(frames) == 0; i++ {
		if event.Threads[i].Crashed {
			frames = event.Threads[i].Frames
		}
	}
	lines := make(core.List[manage.Line], len(frames))
	for i := range frames {
		view := core.ViewFrame(frames, i)
		file := view.File
		if !view.IsMapped && strings.Contains(string(view.Sent.File), "://") {
			file = view.Sent.File // the browser's name for it
		}
		lines[i] = manage.Line{File: string(file), Line: int64(view.Line), Method: string(nameMethod(&frames[i], view.Function, event.Platform))}
	}
	return lines
}

// nameMethod returns the name of a method, qualified by its class or package.
func nameMethod(frame *core.Frame, function core.Untrusted, platform string) core.Untrusted {
	separator := core.Untrusted(core.QualifierOf(platform))
	if separator == "" || frame.Module == "" || function == "" || strings.HasPrefix(string(function), string(frame.Module)) {
		return cmp.Or(function, unknownMethod)
	}
	return frame.Module + separator + function
}
