package web

import (
	"strings"

	"errand/core"
)

// takeProjectKey makes a key of a project.
func (s *Site) takeProjectKey(v *visit) error {
	p, err := v.readProject()
	if err != nil {
		return err
	}
	return v.act(core.CreateProjectKey.Operation, map[string]any{projectField: p.ID}, projectAddress(&p.Project, ""),
		flash{Text: "The project has another DSN. Deploy it, then revoke the old key."})
}

// showKeyRevocation is the page before a key is revoked.
func (s *Site) showKeyRevocation(v *visit) error {
	p, err := v.readManagedProject()
	if err != nil {
		return err
	}
	dsn := ""
	for _, known := range p.DSNs {
		if begin := v.r.URL.Query().Get(keyField); len(begin) >= shownOfKey && strings.HasPrefix(publicKeyOf(known), begin) {
			dsn = known
		}
	}
	path := projectAddress(&p.Project, "")
	switch {
	case dsn == "":
		return core.NewError(core.NotFound)
	case len(p.DSNs) == 1:
		return v.redirectWith(path, flash{Kind: kindBad, Text: onlyKey})
	}
	return v.showIrrevocable(irrevocable{
		Back: path, BackName: p.Name, Title: "Revoke a key of " + p.Name, Code: dsn,
		Says: []string{
			"Events that are sent to this DSN are refused within 60 seconds, and are lost. Deploy another DSN first.",
			"A revoked key cannot be used again.",
		},
		Path: path + revokeKeyPart, Field: &keptField{keyField, publicKeyOf(dsn)}, Button: "Revoke the key", Keep: "Keep it",
	})
}

// onlyKey is why the only key stays.
const onlyKey = "It is the only key of the project. Make another one and deploy it first."

// takeKeyRevocation revokes a key.
func (s *Site) takeKeyRevocation(v *visit) error {
	p, err := v.readProject()
	if err != nil {
		return err
	}
	path := projectAddress(&p.Project, "")
	answer, err := v.call(core.DeleteProjectKey.Operation, map[string]any{projectField: p.ID, keyField: v.r.PostForm.Get(keyField)})
	if core.HasCode(err, core.LastKey) {
		return v.redirectWith(path, flash{Kind: kindBad, Text: onlyKey})
	}
	return v.sayDone(answer, err, path, flash{Text: "The key is revoked. Events with it are refused within 60 seconds."})
}
