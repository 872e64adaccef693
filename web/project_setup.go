package web

import (
	"fmt"
	"strconv"

	"errand/core"
)

// The pages of the setup keys, for site admins.
const (
	setupPath       = "/projects/setup"
	setupRevokePath = "/projects/setup/revoke"
)

// setupAppsShown is how many applications the page of the setup keys follows.
const setupAppsShown = 20

// setupForm is the page of the setup keys.
type setupForm struct {
	Agent agentDoor
	Keys  []setupKeyRow
	More  int // keys that are not shown
}

// setupKeyRow is a setup key, which is shown by its beginning.
type setupKeyRow struct {
	Prefix, By   any
	At           moment
	Made         string
	State        badge
	RevokePath   string // empty for a key that is revoked
	Apps, Tokens int64
}

// setupKeysShown is how many keys the page lists, the newest ones.
const setupKeysShown = 50

// showSetup shows the setup keys, and how far agents are with them.
func (s *Site) showSetup(v *visit) error { return v.askSetup(setupForm{}) }

// askSetup shows the page. The form has the prompt of a key that was just made.
func (v *visit) askSetup(form setupForm) error {
	var keys core.Data[core.List[core.ListedSetupKey]]
	err := runTogether(
		func() (err error) { keys, err = callOperation(v, core.ListSetupKeys, nil); return err },
		func() error { return v.readSetup(&form.Agent, setupAppsShown) },
	)
	if err != nil {
		return err
	}
	for i := range keys.Data[:min(len(keys.Data), setupKeysShown)] {
		form.Keys = append(form.Keys, v.makeSetupKeyRow(&keys.Data[i]))
	}
	form.More = len(keys.Data) - len(form.Keys)
	return v.show("project_setup", "Setup keys", form)
}

func (v *visit) makeSetupKeyRow(k *core.ListedSetupKey) setupKeyRow {
	row := setupKeyRow{
		Prefix: k.Prefix + "…", By: k.CreatedBy, At: v.at(k.CreatedAt), Apps: k.Apps, Tokens: k.Tokens, State: badge{"", "expired"},
		RevokePath: addressOf(setupRevokePath, "id", strconv.FormatInt(k.ID, 10)),
		Made:       fmt.Sprintf("%s, %s", writePlural(k.Apps, "application", "applications"), writePlural(k.Tokens, "token", "tokens")),
	}
	switch {
	case !k.RevokedAt.IsZero():
		row.State, row.RevokePath = badge{"", "revoked"}, ""
	case k.ExpiresAt.After(v.now):
		row.State = badge{kindGood, "valid, " + writeMinutes((&core.Claim{ExpiresAt: k.ExpiresAt}).MinutesLeft(core.At(v.now))) + " left"}
	}
	return row
}

// takeSetup makes a setup key and shows its prompt. The page answers the form itself: a key stands in no address and no cookie.
func (s *Site) takeSetup(v *visit) error {
	made, err := callOperation(v, core.CreateSetupKey, nil)
	if err != nil {
		return err
	}
	return v.askSetup(setupForm{Agent: agentDoor{Prompt: made.Data.Prompt}})
}

// showSetupRevocation is the page before a setup key is revoked.
func (s *Site) showSetupRevocation(v *visit) error {
	keys, err := callOperation(v, core.ListSetupKeys, nil)
	if err != nil {
		return err
	}
	for _, k := range keys.Data {
		if id := strconv.FormatInt(k.ID, 10); id == v.r.URL.Query().Get("id") && k.RevokedAt.IsZero() {
			return v.showIrrevocable(irrevocable{
				Back: setupPath, BackName: "Setup keys", Title: "Revoke the setup key " + k.Prefix + "…",
				Says: []string{
					fmt.Sprintf("The key ends at once, and so do the tokens that were made with it: %s. Agents that work with them stop.",
						writePlural(k.Tokens, "token", "tokens")),
					"The applications stay, with their DSNs.", "It cannot be undone.",
				},
				Path: setupRevokePath, Field: &keptField{"id", id}, Button: "Revoke the key", Keep: "Keep it",
			})
		}
	}
	return core.NewError(core.NotFound)
}

// takeSetupRevocation revokes a setup key.
func (s *Site) takeSetupRevocation(v *visit) error {
	id, err := strconv.ParseInt(v.r.PostForm.Get("id"), 10, 64)
	if err != nil || id < 1 {
		return core.NewError(core.NotFound)
	}
	return v.act(core.RevokeSetupKey.Operation, map[string]any{"id": id}, setupPath, flash{Text: "The key and its tokens are revoked."})
}
