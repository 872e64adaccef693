package core

import "fmt"

// issueNames are what the id of an issue may be called: all operations take both.
var issueNames = [2]string{"id", "issue_id"}

// renameAliases puts the id of an issue where the input has it.
func (in *input) renameAliases(args map[string]any) error {
	for i, name := range issueNames {
		other := issueNames[1-i]
		field, value := in.byName[name], args[other]
		if field == nil || !field.isIssue || in.byName[other] != nil || value == nil {
			continue
		}
		if own, both := args[name]; both && own != nil && fmt.Sprint(own) != fmt.Sprint(value) {
			return RefuseField(other, "is another name of %s, and differs from it", name)
		}
		args[name] = value
		delete(args, other)
	}
	return nil
}
