package store

// The statement of the list of labels, for a look at its plan.
const (
	LabelColumns = labelColumns
	LabelActions = labelActions
)
