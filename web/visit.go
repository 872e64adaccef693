package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"errand/core"
	"errand/wire"
)

// visit is one request of a person who is signed in. A page reads and changes nothing by itself: it calls operations as the person.
type visit struct {
	*Site
	w       http.ResponseWriter
	r       *http.Request
	actor   core.Actor
	prefers core.Preferences
	now     time.Time
}

// visitHandler answers a visit, or returns why it cannot.
type visitHandler = func(*visit) error

// makePersonPage is makePage for people who are signed in: others sign in first.
func (s *Site) makePersonPage(show, take visitHandler) http.Handler {
	return s.makePage(s.openVisit(show), s.openVisit(take))
}

// openVisit finds out whose request it is.
func (s *Site) openVisit(next visitHandler) handler {
	if next == nil {
		return nil
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		actor, err := s.FindActor(r)
		if core.HasCode(err, core.Unauthorized) {
			return s.askToSignIn(w, r)
		}
		if err != nil {
			return err
		}
		v := s.newVisit(w, r, actor)
		if err := next(v); err != nil {
			s.showFailure(w, r, v.newFrame(), s.explainFailure(r, err))
		}
		return nil
	}
}

// newVisit makes the visit of somebody who is signed in.
func (s *Site) newVisit(w http.ResponseWriter, r *http.Request, actor core.Actor) *visit {
	return &visit{Site: s, w: w, r: r, actor: actor, prefers: actor.Prefers, now: s.Clock()}
}

// askToSignIn leads to where somebody signs in, and back. A script that asks for a part of a page is only refused.
func (s *Site) askToSignIn(w http.ResponseWriter, r *http.Request) error {
	switch {
	case r.URL.Query().Has(fragmentField):
		w.WriteHeader(http.StatusUnauthorized)
		return nil
	case r.Method == http.MethodPost:
		return redirect(w, r, signInFirst(localPath(r.PostForm.Get(returnField))))
	case r.URL.Path == issuesPath && r.URL.RawQuery == "":
		return s.askSignIn(w, r, http.StatusOK, "", signInForm{ReturnTo: issuesPath})
	}
	return redirect(w, r, signInFirst(r.URL.RequestURI()))
}

// call runs an operation as the person. The arguments become the JSON that a client would send.
func (v *visit) call(op *core.Operation, args map[string]any) (core.Answer, error) {
	return v.callIn(v.Registry, op, args)
}

// callIn is call for an operation of a registry.
func (v *visit) callIn(registry *core.Registry, op *core.Operation, args map[string]any) (core.Answer, error) {
	if args == nil {
		args = map[string]any{}
	}
	text, err := json.Marshal(args)
	if err != nil {
		return core.Answer{}, err
	}
	if args, err = core.DecodeArgs(text); err != nil {
		return core.Answer{}, err
	}
	answer, failure := registry.Call(v.r.Context(), op, core.Call{Actor: v.actor, RequestID: v.RequestID(v.r.Context())}, args)
	if failure != nil {
		return core.Answer{}, failure
	}
	return answer, nil
}

// callOperation runs an operation that answers what it declares. One whose action can be held is run by visit.act.
func callOperation[In, Out any](v *visit, op core.Op[In, Out], args map[string]any) (out Out, err error) {
	answer, err := v.call(op.Operation, args)
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(answer.Body, &out)
}

// runTogether runs calls that do not need each other at the same time, and returns the error of the first of them that failed.
func runTogether(calls ...func() error) error {
	errs := make([]error, len(calls))
	var running sync.WaitGroup
	for i, call := range calls {
		running.Go(func() { errs[i] = call() })
	}
	running.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// may reports whether the person has a right somewhere: what nobody may do here is not offered.
func (v *visit) may(right core.Right) bool { return v.actor.Rights.HaveSomewhere(right) }

// at is an instant for the components "ago" and "date".
func (v *visit) at(t core.Time) moment { return moment{t, v.now} }

// show answers with the page of a template, or with a live part of it when the request asks for one.
func (v *visit) show(name, title string, form any) error {
	if part := v.r.URL.Query().Get(fragmentField); part != "" {
		return v.showPart(name, part, form)
	}
	return v.answer(name, http.StatusOK, pageData{Title: title, Form: form})
}

// answer answers with a page in the frame of the person.
func (v *visit) answer(name string, status int, data pageData) error {
	data.Frame = v.newFrame()
	data.Frame.Flash = v.takeFlash()
	return show(v.w, v.r, status, name, data)
}

// fragmentField is the field of a query that asks for a live part of a page by its name.
const fragmentField = "fragment"

// isFragment reports whether the request asks for one live part: a handler can leave out what others need.
func (v *visit) isFragment() bool { return v.r.URL.Query().Has(fragmentField) }

// showPart answers with the template live-<part> of a page. A request that names the current ETag gets 304.
func (v *visit) showPart(name, part string, form any) error {
	version, _ := v.r.Context().Value(liveVersion{}).(string)
	body, tag, err := renderPart(name, part, form, version)
	if err != nil {
		return err
	}
	v.w.Header().Set("ETag", tag)
	content, _ := splitTag(tag)
	if known, _ := splitTag(v.r.Header.Get("If-None-Match")); known == content {
		v.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	wire.WriteCompressed(v.w, v.r, http.StatusOK, "text/html; charset=utf-8", body)
	return nil
}

// renderPart returns a live part of a page with its ETag, which has the version if there is one; not_found for an unknown part.
func renderPart(name, part string, form any, version string) (text []byte, tag string, err error) {
	live := pages.findPage(name).Lookup("live-" + part)
	if live == nil {
		return nil, "", core.NewError(core.NotFound)
	}
	var body bytes.Buffer
	if err := live.Execute(&body, form); err != nil {
		return nil, "", err
	}
	return body.Bytes(), makeTag(body.Bytes(), version), nil
}
