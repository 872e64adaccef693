package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/api/surfacetest"
	"errand/core"
)

// unsentBody is a body that never arrives: an answer must come before it.
func unsentBody(t *testing.T) io.Reader {
	t.Helper()
	body, end := io.Pipe()
	t.Cleanup(func() { _ = end.Close() })
	return body
}

func TestUnauthorizedBeforeTheBody(t *testing.T) {
	t.Parallel()
	s := newSurface(t)
	revoked := s.CreateToken(t, core.Admin)
	require.Equal(t, http.StatusNoContent, s.SendAsAdmin(t, http.MethodDelete, "/v1/tokens/"+idOf(t, s, revoked), "").Status)
	for name, authorization := range map[string]string{
		"none": "", "another scheme": "Basic " + surfacetest.AdminToken, "no token": "Bearer", "an empty token": "Bearer  ",
		"a wrong token": "Bearer ck_wrong", "the token alone": surfacetest.AdminToken, "a revoked token": "Bearer " + revoked,
	} {
		for _, path := range []string{"/v1/projects", "/mcp"} {
			answer := s.SendRequest(t, surfacetest.Request{
				Method: http.MethodPost, Path: path, Body: unsentBody(t),
				Header: map[string]string{"Authorization": authorization, "Content-Type": "application/json"},
			})
			require.Equal(t, http.StatusUnauthorized, answer.Status, "%s at %s", name, path)
			require.Equal(t, "Bearer", answer.Header.Get("WWW-Authenticate"), "%s at %s", name, path)
			require.JSONEq(t, `{"error":"unauthorized"}`, answer.Body, "%s at %s", name, path)
		}
	}
}

// idOf returns the id of a token, from whoami.
func idOf(t *testing.T, s *surfacetest.Surface, token string) string {
	t.Helper()
	answer := s.SendRequest(t, surfacetest.Request{Method: http.MethodGet, Path: "/v1/tokens/current", Token: token})
	require.Equal(t, http.StatusOK, answer.Status, answer.Body)
	return fmt.Sprint(int64(decodeBody[core.Data[struct{ ID int64 }]](t, answer.Body).Data.ID))
}

func TestSchemeInAnyCase(t *testing.T) {
	t.Parallel()
	s := newSurface(t)
	for _, scheme := range []string{"Bearer", "bearer", "BEARER"} {
		answer := s.SendRequest(t, surfacetest.Request{Method: http.MethodGet, Path: "/v1/projects",
			Header: map[string]string{"Authorization": scheme + " " + surfacetest.AdminToken}})
		require.Equal(t, http.StatusOK, answer.Status, scheme)
	}
}

func TestForbiddenBeforeTheBody(t *testing.T) {
	t.Parallel()
	s := newSurface(t)
	reader := s.CreateToken(t, core.IssuesRead)
	answer := s.SendRequest(t, surfacetest.Request{Method: http.MethodPost, Path: "/v1/projects", Token: reader, Body: unsentBody(t)})
	require.Equal(t, http.StatusForbidden, answer.Status)
	require.JSONEq(t, `{"error":"forbidden","required_scope":"admin"}`, answer.Body)
}

func TestForbiddenNamesTheScope(t *testing.T) {
	t.Parallel()
	s := newSurface(t)
	token := s.CreateToken(t, core.ReleasesWrite)
	for _, op := range s.Registry.Operations() {
		if op.Scope == core.ReleasesWrite || op.Scope == core.AnyToken {
			continue
		}
		answer := s.SendRequest(t, surfacetest.Request{Method: op.Method(), Path: op.Path(), Token: token})
		require.Equal(t, http.StatusForbidden, answer.Status, op.Name)
		require.JSONEq(t, fmt.Sprintf(`{"error":"forbidden","required_scope":%q}`, op.Scope), answer.Body, op.Name)
	}
}

func TestAuthenticationFails(t *testing.T) {
	t.Parallel()
	registry := newSurface(t).Registry
	for _, c := range []struct {
		err    error
		status int
		code   core.Code
	}{
		{core.NewError(core.Unavailable).Because(errors.New("db.internal is gone")), http.StatusServiceUnavailable, core.Unavailable},
		{errors.New("column x of db.internal"), http.StatusInternalServerError, core.Internal},
	} {
		h := newHandler(t, func(o *api.Options) {
			o.Registry = registry
			o.Authenticate = func(context.Context, core.Secret) (core.Actor, error) { return core.Actor{}, c.err }
		})
		request := httptest.NewRequest(http.MethodGet, "/v1/projects", nil)
		request.Header.Set("Authorization", "Bearer ck_x")
		answer := sendRequest(t, h, request)
		require.Equal(t, c.status, answer.Code)
		require.Equal(t, c.code, decodeBody[struct{ Error core.Code }](t, answer.Body.String()).Error)
		require.NotContains(t, answer.Body.String(), "db.internal")
		require.Equal(t, c.code == core.Unavailable, answer.Header().Get("Retry-After") != "")
	}
}
