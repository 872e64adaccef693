package core

import "fmt"

// issueNames are what the id of an issue may be called: all operations take both.
var issueNames = [2]string{"id", "issue_id"}

// OtherName returns what the field may be called too, and none else of the operation is; empty for nothing.
func (o *Operation) OtherName(field Field) string {
	for i, name := range issueNames {
		if other := issueNames[1-i]; field.isIssue && field.Name == name && o.input.byName[other] == nil {
			return other
		}
	}
	return ""
}

// RenameAliases puts the id of an issue where the input of the operation has it. Under both names it must be the same.
func (o *Operation) RenameAliases(args map[string]any) error { return o.input.renameAliases(args) }

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
