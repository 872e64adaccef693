package web

import (
	"strings"

	"errand/core"
)

// madeSecret is a secret that was just made. The page that answers the form shows it, once: it stands in no address and no cookie.
type madeSecret struct {
	Title string
	Text  string
	Value string
}

// tellUse says when a credential was used last.
func (v *visit) tellUse(at core.Time) string {
	if used := v.at(at); !used.IsNever() {
		return "It was last used " + used.Ago() + " ago."
	}
	return "It was never used."
}

// fieldErrors are the messages of a refused form by the names of its fields. The field "" has what belongs to none.
type fieldErrors map[string]string

// readFieldErrors returns the errors of a refused form; nil for an error that the person cannot mend by another form.
func (v *visit) readFieldErrors(err error) (fieldErrors, error) {
	failure := v.explainFailure(v.r, err)
	switch failure.Code {
	case core.Forbidden, core.NotFound, core.Unavailable, core.Internal:
		return nil, failure
	case core.InvalidRequest:
	default:
		return fieldErrors{"": describeFailure(failure)}, nil
	}
	found := fieldErrors{}
	for _, detail := range failure.Details {
		field, _, _ := strings.Cut(detail.Path, "/")
		field, _, _ = strings.Cut(field, "[")
		if field, _, _ = strings.Cut(field, "."); found[field] == "" {
			found[field] = detail.Message
		}
	}
	if len(found) == 0 {
		found[""] = describeFailure(failure)
	}
	return found, nil
}

// keepKnown moves the errors of fields that the form does not show to "".
func (f fieldErrors) keepKnown(fields ...string) {
	for field, message := range f {
		isShown := field == ""
		for _, known := range fields {
			isShown = isShown || field == known
		}
		if !isShown {
			f[""] = strings.TrimSpace(f[""] + " The field " + field + " " + message + ".")
			delete(f, field)
		}
	}
}

// check is a checkbox of a form.
type check struct {
	Name, Value, Text string
	IsChosen          bool
}
