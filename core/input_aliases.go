package core

import "fmt"

// issueNames are the names for the id of an issue. Every operation takes both.
var issueNames = [2]string{"id", "issue_id"}

// OtherName returns the second name of the field, unless another field of the operation has it; empty for none.
func (o *Operation) OtherName(field Field) string {
	for i, name := range issueNames {
		if other := issueNames[1-i]; field.isIssue && field.Name == name && o.derive().input.byName[other] == nil {
			return other
		}
	}
	return ""
}

// RenameAliases moves the id of an issue to the name that the operation's input has. Given under both names, it must be equal.
func (o *Operation) RenameAliases(args map[string]any) error {
	return o.derive().input.renameAliases(args)
}

// renameAliases moves the id of an issue to the name that the input has.
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
