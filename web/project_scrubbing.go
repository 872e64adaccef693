package web

import (
	"net/http"
	"net/url"
	"strings"

	"errand/core"
)

// The fields of the form of a project's scrubbing.
const (
	scrubKeysField     = "scrub_keys"
	scrubPatternsField = "scrub_patterns"
	triedField         = "text"
)

// scrubbingForm is the page of what is masked in the events of a project.
type scrubbingForm struct {
	projectHead
	Keys, Patterns string // one a line
	Tried          string // the text to try them on
	Result         *core.ScrubbedText
}

// showProjectScrubbing shows what is masked.
func (s *Site) showProjectScrubbing(v *visit) error {
	p, err := v.readProject()
	if err != nil {
		return err
	}
	return v.askScrubbing(p, http.StatusOK, pageData{}, scrubbingForm{
		Keys: strings.Join(p.ScrubKeys, "\n"), Patterns: strings.Join(p.ScrubPatterns, "\n"),
	})
}

func (v *visit) askScrubbing(p *core.ListedProject, status int, data pageData, form scrubbingForm) error {
	form.projectHead = v.makeProjectHead(p, scrubbingPart)
	data.Title, data.Form = "Scrubbing of "+plainText(p.Name), form
	return v.answer("project_scrubbing", status, data)
}

// takeProjectScrubbing tries the rules of the form on a text, or saves them. The page itself answers a trial: the text stands in no
// address and no cookie.
func (s *Site) takeProjectScrubbing(v *visit) error {
	p, err := v.readProject()
	if err != nil {
		return err
	}
	typed := scrubbingForm{
		Keys: v.r.PostForm.Get(scrubKeysField), Patterns: v.r.PostForm.Get(scrubPatternsField), Tried: v.r.PostForm.Get(triedField),
	}
	args := map[string]any{
		projectField: p.ID, scrubKeysField: trimLines(typed.Keys), scrubPatternsField: readLines(typed.Patterns),
	}
	refuse := func(err error) error {
		return v.refuseForm(v.w, v.r, err, func(status int, problem string) error {
			return v.askScrubbing(p, status, pageData{Problem: describeLine(core.AsError(err), problem)}, typed)
		})
	}
	if v.r.PostForm.Get(actionField) == "try" {
		args[triedField] = strings.ReplaceAll(typed.Tried, "\r\n", "\n")
		tried, err := callOperation(v, core.TryScrubbing, args)
		if err != nil {
			return refuse(err)
		}
		typed.Result = &tried.Data
		return v.askScrubbing(p, http.StatusOK, pageData{}, typed)
	}
	answer, err := v.call(core.UpdateProject.Operation, args)
	if core.HasCode(err, core.InvalidRequest) {
		return refuse(err)
	}
	path := projectAddress(&p.Project, scrubbingPart)
	return v.sayDone(answer, err, path, flash{Text: saidOfSettings, Undo: &undo{path, url.Values{
		scrubKeysField: {strings.Join(p.ScrubKeys, "\n")}, scrubPatternsField: {strings.Join(p.ScrubPatterns, "\n")},
	}}})
}
