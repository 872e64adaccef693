package web

// irrevocable is a page of its own for what cannot be undone: what goes, and one button.
type irrevocable struct {
	Back     string // where who keeps it goes
	BackName any
	Title    any
	Code     string // what it is about, as code; empty for nothing
	Says     []string
	Path     string // of the form
	Field    *formField
	Button   string
	Keep     string // the link back
}

// formField is a hidden field of a form.
type formField struct{ Name, Value string }

// showIrrevocable answers with the page.
func (v *visit) showIrrevocable(form irrevocable) error {
	return v.show("irrevocable", plainText(form.Title), form)
}
