package core

// Category is the kind of cause that an issue has (decisions 7).
type Category string

// The categories.
const (
	Bug            Category = "bug"
	Dependency     Category = "dependency"
	Configuration  Category = "configuration"
	Infrastructure Category = "infrastructure"
	Network        Category = "network"
	DataCategory   Category = "data"
	Client         Category = "client"
	ThirdParty     Category = "third_party"
	Security       Category = "security"
	Performance    Category = "performance"
	UnknownCause   Category = "unknown"
)

// JSONSchema names the categories.
func (Category) JSONSchema() Schema {
	categories := []Category{
		Bug, Dependency, Configuration, Infrastructure, Network, DataCategory, Client, ThirdParty, Security, Performance, UnknownCause,
	}
	enum := make([]any, len(categories))
	for i, category := range categories {
		enum[i] = string(category)
	}
	return Schema{"type": "string", "enum": enum}
}

// The severities (primary API, Issues: 0 to 3).
const (
	SeverityLow = iota
	SeverityMedium
	SeverityHigh
	SeverityCritical
)

// Triage is the judgement of the rules about an issue, with the corrections of its readers (decisions 7). None of its
// text comes from the monitored app.
type Triage struct {
	Category     Category     `json:"category"`
	Severity     int          `json:"severity" doc:"0 low, 1 medium, 2 high, 3 critical."`
	Transient    bool         `json:"transient" doc:"It may go away by itself, such as a timeout."`
	AgentFixable bool         `json:"agent_fixable" doc:"A change of the app's code can fix it."`
	Noise        bool         `json:"noise" doc:"No error of the app, such as one of a browser extension."`
	Confidence   float64      `json:"confidence" doc:"How sure the rules are, 0 to 1; a correction does not change it."`
	Reasons      List[string] `json:"reasons" doc:"Why, in sentences of Errand's own."`
	Model        string       `json:"model" doc:"Which rules made it."`
	CorrectedBy  Text         `json:"corrected_by" untrusted:"true" doc:"Who corrected it last; null when nobody did."`
}

// TriageChange is the part of a triage that a correction replaces. Nil fields stay as they are.
type TriageChange struct {
	Category     *Category `json:"category,omitempty" doc:"What kind of cause it has."`
	Severity     *int      `json:"severity,omitempty" doc:"0 low, 1 medium, 2 high, 3 critical." min:"0" max:"3"`
	Transient    *bool     `json:"transient,omitempty" doc:"true when it may go away by itself."`
	AgentFixable *bool     `json:"agent_fixable,omitempty" doc:"true when a change of the app's code can fix it."`
	Noise        *bool     `json:"noise,omitempty" doc:"true when it is no error of the app."`
}

// IsEmpty reports whether the change names nothing.
func (c TriageChange) IsEmpty() bool { return c == TriageChange{} }

// FieldNames returns the names of the fields that the change replaces, in the order of the wire.
func (c TriageChange) FieldNames() []string {
	var names []string
	for _, f := range []struct {
		named bool
		name  string
	}{
		{c.Category != nil, "category"}, {c.Severity != nil, "severity"}, {c.Transient != nil, "transient"},
		{c.AgentFixable != nil, "agent_fixable"}, {c.Noise != nil, "noise"},
	} {
		if f.named {
			names = append(names, f.name)
		}
	}
	return names
}

// ApplyTo replaces the fields that the change names.
func (c TriageChange) ApplyTo(t *Triage) {
	replaceField(&t.Category, c.Category)
	replaceField(&t.Severity, c.Severity)
	replaceField(&t.Transient, c.Transient)
	replaceField(&t.AgentFixable, c.AgentFixable)
	replaceField(&t.Noise, c.Noise)
}

func replaceField[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// CorrectTriageInput is the body of POST /v1/issues/{id}/triage-correction.
type CorrectTriageInput struct {
	ID int64 `json:"id" doc:"Id of the issue." issue:"true" min:"1"`
	TriageChange
	Note string `json:"note,omitempty" doc:"@correctTriageInput.note" max:"500" cleaned:"true"`
}

// Check refuses an empty correction.
func (in CorrectTriageInput) Check() error {
	if in.IsEmpty() {
		return RefuseField("", "must name at least one of category, severity, transient, agent_fixable, noise")
	}
	return nil
}

// Recorded is the answer to a correction.
type Recorded struct {
	Recorded bool `json:"recorded"`
}

// CorrectTriage declares POST /v1/issues/{id}/triage-correction.
var CorrectTriage = DefineOperation[CorrectTriageInput, Data[Recorded]](Operation{
	Name: "correct_triage", Route: "POST /v1/issues/{id}/triage-correction", Scope: IssuesWrite, Warns: true, Status: 201,
	Summary:     "Correct the triage of an issue",
	Description: "Replaces the fields of an issue's triage that you name; the others stay as they are. A note says why.",
	Example:     `{"id": 42, "category": "configuration", "agent_fixable": false, "note": "The bucket's name is missing in production."}`,
	Errors:      []Code{NotFound},
	Next:        []string{"get_brief"},
})
