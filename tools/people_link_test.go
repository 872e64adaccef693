package tools_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
)

func TestInvitePerson(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	admin := core.NewBootstrapActor()

	made := h.callData(admin, core.InvitePerson.Operation, `{"email_address": "Ann@Example.org", "site_admin": true}`)

	require.Equal(t, "ann@example.org", made["email_address"])
	require.Equal(t, false, made["mailed"], "there is no mail")
	require.Regexp(t, `/reset-password\?code=link_[A-Za-z0-9]{43}$`, made["url"])
	require.Equal(t, core.At(h.now.Add(7*24*time.Hour)).Format(core.TimeLayout), made["expires_at"])
	h.storesOnlyTheHash(made["url"].(string)[len(made["url"].(string))-48:])
	listed := h.callList(admin, core.ListPeople.Operation, `{}`)
	require.Len(t, listed, 1)
	require.Equal(t, []any{"ann@example.org", true, nil, []any{}},
		[]any{listed[0]["email_address"], listed[0]["site_admin"], listed[0]["last_signed_in_at"], listed[0]["teams"]})
	for args, field := range map[string]string{
		`{"email_address": "ann@example.org"}`:                  "email_address",
		`{"email_address": "nobody"}`:                           "email_address",
		`{"email_address": "b@example.org", "role": "viewer"}`:  "role",
		`{"email_address": "b@example.org", "role": "emperor"}`: "role",
	} {
		h.mustRefuse(core.InvitePerson.Operation, args, field)
	}
	h.sameJSON(object{"error": "not_found"}, h.mustFail(admin, core.InvitePerson.Operation, `{"email_address": "b@example.org", "team": 99}`))
	require.Len(t, h.callList(admin, core.ListPeople.Operation, `{}`), 1, "nobody was made for a team that does not exist")
}

func TestLastSiteAdminStays(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	admin := core.NewBootstrapActor()
	ann := int64(h.callData(admin, core.InvitePerson.Operation, `{"email_address": "ann@example.org", "site_admin": true}`)["id"].(float64))
	for args, field := range map[string]string{`"site_admin": false`: "site_admin", `"disabled": true`: "disabled"} {
		h.mustRefuse(core.UpdatePerson.Operation, fmt.Sprintf(`{"id": %d, %s}`, ann, args), field)
	}
	h.mustRefuse(core.DeletePerson.Operation, idArgs(ann), "id")
	bob := int64(h.callData(admin, core.InvitePerson.Operation, `{"email_address": "bob@example.org"}`)["id"].(float64))
	h.mustCall(admin, core.UpdatePerson.Operation, fmt.Sprintf(`{"id": %d, "site_admin": true}`, bob))
	h.mustCall(admin, core.UpdatePerson.Operation, fmt.Sprintf(`{"id": %d, "site_admin": false, "disabled": true}`, ann))
	h.sameJSON(object{"error": "not_found"}, h.mustFail(admin, core.CreatePersonLink.Operation, idArgs(ann)))
	h.mustCall(admin, core.DeletePerson.Operation, idArgs(ann))
	link := h.callData(admin, core.CreatePersonLink.Operation, idArgs(bob))
	require.Equal(t, core.At(h.now.Add(7*24*time.Hour)).Format(core.TimeLayout), link["expires_at"], "bob never signed in")
	h.mustRefuse(core.UpdatePerson.Operation, idArgs(bob), "")
}
