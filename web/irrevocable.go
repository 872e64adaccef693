package web

// irrevocable is a page of its own for what cannot be undone: what goes, and one button.
type irrevocable struct {
	Tabs     tabs   // of the settings; without any elsewhere
	Back     string // where who keeps it goes
	BackName any
	Title    any
	Code     string // what it is about, as code; empty for nothing
	Says     []string
	Path     string // of the form
	Field    *keptField
	Button   string
	Keep     string // the link back
}

// showIrrevocable answers with the page.
func (v *visit) showIrrevocable(form irrevocable) error {
	return v.show("irrevocable", plainText(form.Title), form)
}
