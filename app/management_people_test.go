package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/app"
	"errand/store/storetest"
	"errand/testkit/logtext"
)

// remember stores the id of an object in an answer under a word.
func (m *management) remember(t *testing.T, name string, got answer) map[string]any {
	t.Helper()
	require.Equal(t, http.StatusCreated, got.status, got.body)
	made := object(t, got)
	m.names = append(m.names, name, fmt.Sprint(int64(made["id"].(float64))))
	return made
}

// openPeople is openManagement with the users $ANN and $BOB, and the team $OFFICE, which Ann owns.
func openPeople(t *testing.T, c app.Config) *management {
	t.Helper()
	m := openManagement(t, c)
	m.remember(t, "$ANN", m.call(t, m.key, `POST /users {"user":{"email_address":"ann@example.com","password":"correct horse"}}`))
	m.remember(t, "$BOB", m.call(t, m.key, `POST /users {"user":{"email_address":"bob@example.com","password":"battery staple"}}`))
	m.remember(t, "$OFFICE", m.call(t, m.key, `POST /teams {"team":{"name":"Back office","owner_id":$ANN}}`))
	return m
}

func TestManagementUsers(t *testing.T) {
	t.Parallel()
	m := openManagement(t, configOn(storetest.NewURL(t)))

	made := m.remember(t, "$ANN", m.call(t, m.key,
		`POST /users {"user":{"email_address":" Ann.Lee@Example.com","password":"correct horse","site_admin":true,"colour":"blue"}}`))

	requireMembers(t, made, `id slug email_address site_admin last_logged_in_at created_at updated_at`)
	require.Equal(t, false, made["site_admin"], "it cannot be set here")
	require.Nil(t, made["last_logged_in_at"])
	require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`, made["created_at"])
	m.requireExchanges(t, m.key, []exchange{
		{"create flat", `POST /users {"email_address":"bob@example.com","password":"p","password_confirmation":"p"}`, 201, `"slug":"bob"`},
		{"list, newest first", "GET /users", 200, `"slug":"bob","email_address":"bob@example.com"`},
		{"show by slug", "GET /users/ann-lee", 200, `"id":$ANN,`},
		{"show by id", "GET /users/$ANN", 200, `"email_address":"ann.lee@example.com"`},
		{"unknown", "GET /users/nobody", 404, `"not_found"`},
		{"unknown id", "GET /users/99999999999999999999", 404, `"not_found"`},
		{"the slug is numbered", `POST /users {"email_address":"ann-lee@example.com","password":"p"}`, 201, `"slug":"ann-lee-1"`},
		{"digits get a word", `POST /users {"email_address":"42@example.com","password":"p"}`, 201, `"slug":"user-42"`},

		{"address missing", `POST /users {"user":{"password":"p"}}`, 422, `"messages":["Email address can't be blank"]`},
		{"address taken", `POST /users {"email_address":"ANN.LEE@example.com ","password":"p"}`, 422,
			`"messages":["Email address has already been taken"]`},
		{"no address", `POST /users {"email_address":"ann","password":"p"}`, 422, `"messages":["Email address is invalid"]`},
		{"a long address", `POST /users {"email_address":"` + strings.Repeat("a", 250) + `@a.de","password":"p"}`, 422,
			`Email address is too long (maximum is 254 characters)`},
		{"address of the wrong type", `POST /users {"email_address":["a@b.de"],"password":"p"}`, 422, `"Email address must be`},
		{"all that is wrong", `POST /users {}`, 422, `"messages":["Email address can't be blank","Password can't be blank"]`},
		{"no body", `POST /users`, 422, `"message":"Email address can't be blank, Password can't be blank"`},
		{"password missing", `POST /users {"email_address":"eve@example.com"}`, 422, `"messages":["Password can't be blank"]`},
		{"password blank", `POST /users {"email_address":"eve@example.com","password":" "}`, 422, `Password can't be blank`},
		{"password of 73 bytes", `POST /users {"email_address":"eve@example.com","password":"` + strings.Repeat("ß", 36) + `x"}`, 422,
			`"messages":["Password is too long (maximum is 72 bytes)"]`},
		{"password with NUL", `POST /users {"email_address":"eve@example.com","password":"a\u0000b"}`, 422, `U+0000`},
		{"another confirmation", `POST /users {"email_address":"eve@example.com","password":"p","password_confirmation":"P"}`, 422,
			`"messages":["Password confirmation doesn't match Password"]`},
		{"blank confirmation", `POST /users {"email_address":"eve@example.com","password":"p","password_confirmation":""}`, 422,
			`doesn't match`},
		{"of 72 bytes", `POST /users {"email_address":"eve@example.com","password":"` + strings.Repeat("ß", 36) + `"}`, 201, `"slug":"eve"`},
	})
	require.NotContains(t, m.log.String(), "correct horse")
	require.NotContains(t, m.call(t, m.key, "GET /users").body, "argon2")
}

func TestManagementUserChanges(t *testing.T) {
	t.Parallel()
	m := openPeople(t, configOn(storetest.NewURL(t)))
	const used = `"messages":["Password has been used recently. Please choose a different password."]`

	m.requireExchanges(t, m.key, []exchange{
		{"nothing", `PATCH /users/ann {}`, 200, `"id":$ANN,`},
		{"a blank password is none", `PATCH /users/ann {"user":{"password":"","password_confirmation":""}}`, 200, `"slug":"ann"`},
		{"the present password", `PATCH /users/ann {"password":"correct horse"}`, 422, used},
		{"another one", `PATCH /users/ann {"password":"second"}`, 200, `"id":$ANN,`},
		{"the one before", `PUT /users/ann {"user":{"password":"correct horse"}}`, 422, used},
		{"third", `PATCH /users/ann {"password":"third"}`, 200, ""},
		{"fourth", `PATCH /users/ann {"password":"fourth"}`, 200, ""},
		{"fifth", `PATCH /users/ann {"password":"fifth"}`, 200, ""},
		{"sixth", `PATCH /users/ann {"password":"sixth"}`, 200, ""},
		{"the fifth before", `PATCH /users/ann {"password":"correct horse"}`, 422, used},
		{"seventh", `PATCH /users/ann {"password":"seventh"}`, 200, ""},
		{"the sixth before is forgotten", `PATCH /users/ann {"password":"correct horse"}`, 200, ""},
		{"not confirmed", `PATCH /users/ann {"password":"x","password_confirmation":"y"}`, 422, `doesn't match`},

		{"blank address", `PATCH /users/ann {"email_address":""}`, 422, `Email address can't be blank`},
		{"null address", `PATCH /users/ann {"email_address":null}`, 422, `Email address can't be blank`},
		{"taken address", `PATCH /users/ann {"email_address":"Bob@Example.com","password":"new"}`, 422, `already been taken`},
		{"one's own address", `PATCH /users/ann {"email_address":"ANN@example.com"}`, 200, `"slug":"ann"`},
		{"site admin", `PATCH /users/ann {"user":{"site_admin":true}}`, 200, `"site_admin":false`},
		{"a new address changes the slug", `PATCH /users/ann {"email_address":"carol@example.com"}`, 200, `"slug":"carol"`},
		{"the old slug is gone", `GET /users/ann`, 404, `"not_found"`},
		{"unknown", `PATCH /users/nobody {}`, 404, `"not_found"`},

		{"delete", `DELETE /users/carol`, 204, ""},
		{"deleted again", `DELETE /users/$ANN`, 404, `"not_found"`},
		{"with the teams that she owned", `GET /teams/$OFFICE`, 404, `"not_found"`},
		{"others stay", `GET /users/$BOB`, 200, ""},
	})
	activity := m.sendRequest(t.Context(), http.MethodGet, "/v1/activity", "", nil).body
	for _, action := range []string{"user.create", "user.update", "user.delete", "team.create", "team.add_member", "team.delete"} {
		require.Contains(t, activity, `"action":"`+action+`"`)
	}
	for _, secret := range []string{"correct horse", "seventh", "argon2"} {
		require.NotContains(t, activity+m.log.String(), secret)
	}
}

func TestUserWhoIsNeededIsNotDeleted(t *testing.T) {
	t.Parallel()
	c := configOn(storetest.NewURL(t))
	m := openManagement(t, c)
	_, err := app.CreateUser(t.Context(), &c, app.NewUser{Email: "root@example.com", SiteAdmin: true}, (&logtext.Text{}).NewLogger())
	require.NoError(t, err)

	m.requireExchanges(t, m.key, []exchange{
		{"the last site admin", "DELETE /users/root", 422, `"messages":["User is the last site admin"]`},
		{"is still there", "GET /users/root", 200, `"site_admin":true`},
	})
}

func TestManagementTeams(t *testing.T) {
	t.Parallel()
	m := openPeople(t, configOn(storetest.NewURL(t)))

	made := object(t, m.call(t, m.key, "GET /teams/back-office"))

	requireMembers(t, made, `id name slug owner_id created_at updated_at`)
	m.requireExchanges(t, m.key, []exchange{
		{"create flat", `POST /teams {"name":"Front","owner_id":"$BOB"}`, 201, `"name":"Front","slug":"front","owner_id":$BOB,`},
		{"list, newest first", "GET /teams", 200, `"slug":"front"`},
		{"show by id", "GET /teams/$OFFICE", 200, `"slug":"back-office"`},
		{"unknown", "GET /teams/nothing", 404, `"not_found"`},
		{"not by name", "GET /teams/Back%20office", 404, `"not_found"`},
		{"the slug is numbered", `POST /teams {"name":"BACK OFFICE","owner_id":$BOB}`, 201, `"slug":"back-office-1"`},
		{"another script", `POST /teams {"name":"日本","owner_id":$BOB}`, 201, `"name":"日本","slug":"team"`},

		{"owner missing", `POST /teams {"team":{"name":"x"}}`, 422, `"message":"owner_id is required"`},
		{"no body", `POST /teams`, 422, `"message":"owner_id is required"`},
		{"unknown owner", `POST /teams {"name":"x","owner_id":404}`, 422, `"message":"Owner user not found"`},
		{"owner of the wrong type", `POST /teams {"name":"x","owner_id":"ann"}`, 422, `"Owner id must be`},
		{"name missing", `POST /teams {"owner_id":$ANN}`, 422, `"messages":["Name can't be blank"]`},
		{"name blank", `POST /teams {"name":" ","owner_id":$ANN}`, 422, `"messages":["Name can't be blank"]`},
		{"name of 101 characters", `POST /teams {"name":"` + strings.Repeat("n", 101) + `","owner_id":$ANN}`, 422, `100`},
		{"name with a line break", `POST /teams {"name":"a\nb","owner_id":$ANN}`, 422, `U+000A`},

		{"nothing to change", `PATCH /teams/back-office {"team":{"owner_id":$BOB}}`, 200, `"slug":"back-office","owner_id":$ANN,`},
		{"a name changes the slug", `PUT /teams/back-office {"team":{"name":"Backend"}}`, 200, `"slug":"backend"`},
		{"the old slug is gone", "GET /teams/back-office", 404, `"not_found"`},
		{"blank name", `PATCH /teams/backend {"name":""}`, 422, `Name can't be blank`},
		{"unknown", `PATCH /teams/nothing {"name":"x"}`, 404, `"not_found"`},
		{"delete", "DELETE /teams/backend", 204, ""},
		{"deleted again", "DELETE /teams/$OFFICE", 404, `"not_found"`},
		{"the owner stays", "GET /users/ann", 200, ""},
	})
}

func TestManagementMembers(t *testing.T) {
	t.Parallel()
	m := openPeople(t, configOn(storetest.NewURL(t)))
	const members = " /teams/back-office/members"

	made := m.remember(t, "$FIRST", m.call(t, m.key, "POST"+members+` {"email_address":" BOB@example.com","role":"viewer"}`))

	requireMembers(t, made, `id team_id user_id role user created_at updated_at`)
	requireMembers(t, made["user"].(map[string]any), `id slug email_address site_admin last_logged_in_at created_at updated_at`)
	m.remember(t, "$EVE", m.call(t, m.key, `POST /users {"email_address":"eve@example.com","password":"p"}`))
	m.remember(t, "$SECOND", m.call(t, m.key, "POST"+members+` {"user_id":$EVE}`))
	m.requireExchanges(t, m.key, []exchange{
		{"by role against the alphabet", "GET" + members, 200, `[{"id":$FIRST,"team_id":$OFFICE,"user_id":$BOB,"role":"viewer"`},
		{"who is said to be nothing is a member", "GET" + members, 200, `"user_id":$EVE,"role":"member"`},
		{"the owner is an admin", "GET" + members, 200, `"user_id":$ANN,"role":"admin","user":{"id":$ANN,`},
		{"unknown team", "GET /teams/nothing/members", 404, `"not_found"`},

		{"unknown user", "POST" + members + ` {"user_id":404}`, 422, `"message":"User not found"`},
		{"unknown address", "POST" + members + ` {"email_address":"nobody@example.com"}`, 422, `"message":"User not found"`},
		{"nobody", "POST" + members + ` {}`, 422, `"message":"User not found"`},
		{"of the wrong type", "POST" + members + ` {"user_id":"x"}`, 422, `"User id must be`},
		{"a member already", "POST" + members + ` {"user_id":$BOB}`, 422, `"messages":["Team has already been taken"]`},
		{"no role", "POST" + members + ` {"user_id":$BOB,"role":"king"}`, 422, `"messages":["Role is not included in the list"]`},

		{"another role", "PATCH" + members + `/$FIRST {"role":"developer"}`, 200, `"role":"developer"`},
		{"no role is none", "PUT" + members + `/$FIRST {}`, 200, `"role":"developer"`},
		{"a bad role", "PATCH" + members + `/$FIRST {"role":""}`, 422, `Role is not included in the list`},
		{"a null role", "PATCH" + members + `/$FIRST {"role":null}`, 422, `Role is not included in the list`},
		{"unknown member", "PATCH" + members + `/404 {"role":"admin"}`, 404, `"not_found"`},
		{"no id", "PATCH" + members + `/bob {"role":"admin"}`, 404, `"not_found"`},
		{"remove", "DELETE" + members + "/$SECOND", 204, ""},
		{"removed", "DELETE" + members + "/$SECOND", 404, `"not_found"`},
	})
}

func TestTeamKeepsAnAdmin(t *testing.T) {
	t.Parallel()
	m := openPeople(t, configOn(storetest.NewURL(t)))
	const members = " /teams/back-office/members"
	m.remember(t, "$SECOND", m.call(t, m.key, "POST"+members+` {"user_id":$BOB}`))
	for _, member := range strings.Split(m.call(t, m.key, "GET"+members).body, `{"id":`) {
		if strings.Contains(member, `"role":"admin"`) {
			id, _, _ := strings.Cut(member, ",")
			m.names = append(m.names, "$FIRST", id)
		}
	}
	const refused = `"message":"Cannot remove the last admin from the team"`

	m.requireExchanges(t, m.key, []exchange{
		{"the last admin is not removed", "DELETE" + members + "/$FIRST", 422, refused},
		{"nor demoted", "PATCH" + members + `/$FIRST {"role":"viewer"}`, 422, refused},
		{"nothing was done", "GET" + members, 200, `"user_id":$ANN,"role":"admin"`},
		{"but promoted", "PATCH" + members + `/$FIRST {"role":"owner"}`, 200, `"role":"owner"`},
		{"a second admin", "PATCH" + members + `/$SECOND {"role":"admin"}`, 200, `"role":"admin"`},
		{"lets the first go", "DELETE" + members + "/$FIRST", 204, ""},
		{"and is the last then", "PATCH" + members + `/$SECOND {"role":"developer"}`, 422, refused},
		{"the team may go as a whole", "DELETE /teams/back-office", 204, ""},
	})
}

func TestManagementTeamApps(t *testing.T) {
	t.Parallel()
	m := openPeople(t, configOn(storetest.NewURL(t)))
	const apps, assigned = " /teams/back-office/apps", `{"message":"App assigned to team successfully"}`
	m.remember(t, "$ADMIN", m.call(t, m.key, `POST /apps {"name":"Admin"}`))

	m.requireExchanges(t, m.key, []exchange{
		{"none", "GET" + apps, 200, `[]`},
		{"assign by slug", "POST" + apps + ` {"app_id":"web-shop"}`, 201, assigned},
		{"assign again", "POST" + apps + ` {"app":{"slug":"web-shop","name":"unknown fields are dropped"}}`, 201, assigned},
		{"by id", "POST" + apps + ` {"app_id":$ADMIN}`, 201, assigned},
		{"by id in a wrapper", "POST" + apps + ` {"app":{"id":$ADMIN}}`, 201, assigned},
		{"by name", "GET" + apps, 200, `[{"id":$ADMIN,"name":"Admin"`},
		{"with its problems", "GET" + apps, 200, `"slug":"web-shop","environment":null`},
		{"no app", "POST" + apps + ` {}`, 422, `"message":"app_id is required"`},
		{"unknown app", "POST" + apps + ` {"app_id":"nothing"}`, 422, `"message":"App not found"`},
		{"unknown team", `POST /teams/nothing/apps {"app_id":"web-shop"}`, 404, `"not_found"`},
		{"take it away", "DELETE" + apps + "/admin", 204, ""},
		{"once more", "DELETE" + apps + "/$ADMIN", 204, ""},
		{"an unknown one", "DELETE" + apps + "/nothing", 404, `"not_found"`},
		{"a deleted app", "DELETE /apps/web-shop", 204, ""},
		{"is in no team", "GET" + apps, 200, `[]`},
	})
	activity := m.sendRequest(t.Context(), http.MethodGet, "/v1/activity", "", nil).body
	require.Equal(t, 2, strings.Count(activity, `"team.assign_app"`), activity)
	require.Equal(t, 1, strings.Count(activity, `"team.unassign_app"`), "what changes nothing leaves no row")
}

func TestManagementPeopleAskForPermissions(t *testing.T) {
	t.Parallel()
	c := configOn(storetest.NewURL(t))
	m := openPeople(t, c)
	const lacks = `{"error":"forbidden","message":"Missing required permission: `
	m.remember(t, "$FIRST", m.call(t, m.key, `POST /teams/$OFFICE/members {"user_id":$BOB}`))

	m.requireExchanges(t, m.makeKey(t, c, "apps:read"), []exchange{
		{"teams: permission first", "GET /teams", 403, lacks + `teams:read"}`},
		{"create a team", "POST /teams", 403, lacks + `teams:write"}`},
		{"a team: look-up first", "GET /teams/nothing", 404, `"not_found"`},
		{"then the permission", "GET /teams/$OFFICE", 403, lacks + `teams:read"}`},
		{"change a team", `PATCH /teams/$OFFICE {"name":""}`, 403, lacks + `teams:write"}`},
		{"delete a team", "DELETE /teams/$OFFICE", 403, lacks + `teams:write"}`},
		{"members", "GET /teams/$OFFICE/members", 403, lacks + `teams:read"}`},
		{"add a member", "POST /teams/$OFFICE/members {}", 403, lacks + `teams:write"}`},
		{"a member: look-up first", "DELETE /teams/$OFFICE/members/404", 404, `"not_found"`},
		{"change a member", "PATCH /teams/$OFFICE/members/$FIRST {}", 403, lacks + `teams:write"}`},
		{"remove a member", "DELETE /teams/$OFFICE/members/$FIRST", 403, lacks + `teams:write"}`},
		{"apps of a team", "GET /teams/$OFFICE/apps", 403, lacks + `teams:read"}`},
		{"assign", "POST /teams/$OFFICE/apps {}", 403, lacks + `teams:write"}`},
		{"unassign", "DELETE /teams/$OFFICE/apps/web-shop", 403, lacks + `teams:write"}`},
		{"users: permission first", "GET /users", 403, lacks + `users:read"}`},
		{"create a user", "POST /users {}", 403, lacks + `users:write"}`},
		{"a user: look-up first", "GET /users/nobody", 404, `"not_found"`},
		{"show a user", "GET /users/ann", 403, lacks + `users:read"}`},
		{"change a user", "PATCH /users/ann {}", 403, lacks + `users:write"}`},
		{"delete a user", "DELETE /users/ann", 403, lacks + `users:write"}`},
	})
	m.requireExchanges(t, m.makeKey(t, c, "teams:read", "users:read"), []exchange{
		{"reading is not writing", "DELETE /users/ann", 403, lacks + `users:write"}`},
		{"nor of teams", `PATCH /teams/$OFFICE {"name":"x"}`, 403, lacks + `teams:write"}`},
		{"teams", "GET /teams/$OFFICE", 200, ""},
		{"members", "GET /teams/$OFFICE/members", 200, ""},
		{"users", "GET /users/ann", 200, ""},
	})
	m.requireExchanges(t, "", []exchange{{"no key", "GET /users/nobody", 401, `{"error":"unauthorized","message":"Missing API key"}`}})
}
