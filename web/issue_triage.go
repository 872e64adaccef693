package web

import (
	"fmt"
	"strings"

	"errand/core"
)

// issueTriagePath is where the triage of an issue is corrected.
const issueTriagePath = "/issues/{id}/triage"

// triageForm is that page.
type triageForm struct {
	ID      int64
	Path    string
	Problem string
	Title   core.Untrusted
	Triage  core.Triage
	Fields  []choice
	Shown   []keptField // what the form shows of the triage as it is
	Note    string
}

// shownPrefix begins the names of the fields that say what the form showed, so that it does not undo what others corrected since.
const shownPrefix = "shown_"

// triageField is a field of a triage, with the choices of the page.
type triageField struct {
	name, label string
	options     []option
	of          func(*core.Triage) string
}

// triageFields are the fields of a triage, as the page and the activity name them.
var triageFields = []triageField{
	{"category", "kind", listCategories(), func(t *core.Triage) string { return string(t.Category) }},
	{"severity", "severity", listSeverities(), func(t *core.Triage) string { return fmt.Sprint(t.Severity) }},
	{"agent_fixable", "an agent can fix it", yesOrNo, func(t *core.Triage) string { return fmt.Sprint(t.AgentFixable) }},
	{"transient", "may go away by itself", yesOrNo, func(t *core.Triage) string { return fmt.Sprint(t.Transient) }},
	{"noise", "noise", yesOrNo, func(t *core.Triage) string { return fmt.Sprint(t.Noise) }},
}

var yesOrNo = []option{{Value: "true", Text: "yes"}, {Value: "false", Text: "no"}}

// listCategories are the options of the kinds of errors.
func listCategories() []option {
	var options []option
	kinds, _ := core.Category("").JSONSchema()["enum"].([]any)
	for _, kind := range kinds {
		value := fmt.Sprint(kind)
		options = append(options, option{Value: value, Text: strings.ReplaceAll(value, "_", " ")})
	}
	return options
}

func listSeverities() []option {
	options := make([]option, len(severityWords))
	for i, word := range severityWords {
		options[i] = option{Value: fmt.Sprint(i), Text: word}
	}
	return options
}

// write returns the word of a value.
func (f triageField) write(value any) string {
	for _, option := range f.options {
		if option.Value == fmt.Sprint(value) {
			return readText(option.Text)
		}
	}
	return fmt.Sprint(value)
}

// showTriage shows the triage of an issue as a form.
func (s *Site) showTriage(v *visit) error { return v.askTriage("", nil, "") }

// askTriage shows the form; one that was refused keeps its fields.
func (v *visit) askTriage(problem string, chosen map[string]any, note string) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	issue, err := v.readChangeable(id)
	if err != nil {
		return err
	}
	form := triageForm{ID: id, Path: issueAddress{id, nil}.path(""), Problem: problem, Title: issue.Title, Triage: issue.Triage, Note: note}
	for _, field := range triageFields {
		value := field.of(&issue.Triage)
		form.Shown = append(form.Shown, keptField{shownPrefix + field.name, value})
		if given, isThere := chosen[field.name]; isThere {
			value = fmt.Sprint(given)
		}
		form.Fields = append(form.Fields, chooseFrom(field.name, field.label, value, append([]option{}, field.options...)...))
	}
	return v.show("issue_triage", fmt.Sprintf("Correct the triage of issue %d", id), form)
}

// takeTriage corrects the fields that the person has changed.
func (s *Site) takeTriage(v *visit) error {
	id, err := v.readID()
	if err != nil {
		return err
	}
	issue, err := v.readIssue(id)
	if err != nil {
		return err
	}
	args, problem := map[string]any{"id": id}, ""
	chosen := v.readChosenTriage(&issue.Triage)
	for _, field := range triageFields {
		value, isChosen := chosen[field.name]
		is := field.of(&issue.Triage)
		if !isChosen || value == is {
			continue
		}
		args[field.name] = value
		if shown := v.r.PostForm.Get(shownPrefix + field.name); shown != "" && shown != is {
			problem = fmt.Sprintf("Somebody has corrected it since: %s is %s now. Send the form again if you know better.",
				field.label, field.write(is))
		}
	}
	note := v.r.PostForm.Get(noteField)
	if len(args) == 1 {
		problem = "Nothing is different: change a field first."
	}
	if problem != "" {
		return v.askTriage(problem, chosen, note)
	}
	if strings.TrimSpace(note) != "" {
		args[noteField] = note
	}
	_, err = v.call(core.CorrectTriage.Operation, args)
	if problem, err := v.readProblem(err); err != nil || problem != "" {
		if err != nil {
			return err
		}
		return v.askTriage(problem, chosen, note)
	}
	return v.redirectWith(issueAddress{id, nil}.path(""), flash{Text: "The triage is corrected."})
}

// readChosenTriage returns the fields of the form that the person has changed.
func (v *visit) readChosenTriage(triage *core.Triage) map[string]any {
	chosen := map[string]any{}
	for _, field := range triageFields {
		shown := field.of(triage)
		if name := shownPrefix + field.name; v.r.PostForm.Has(name) {
			shown = v.r.PostForm.Get(name)
		}
		if value := v.r.PostForm.Get(field.name); value != shown {
			chosen[field.name] = value
		}
	}
	return chosen
}
