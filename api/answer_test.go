package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api/surfacetest"
	"errand/core"
)

func TestAnswers(t *testing.T) {
	t.Parallel()
	s := newSurface(t)
	issue := s.CreateIssue(t)
	answer := s.SendAsAdmin(t, http.MethodGet, fmt.Sprintf("/v1/issues/%d", issue), "")
	require.Equal(t, http.StatusOK, answer.Status)
	require.Equal(t, "application/json", answer.Header.Get("Content-Type"))
	require.Equal(t, "no-store", answer.Header.Get("Cache-Control"))
	require.Contains(t, answer.Body, `"title":"Error: <b>pay</b> & more"`, "text is written as it is")

	missing := s.SendAsAdmin(t, http.MethodGet, "/v1/issues/9007199254740991", "")
	require.Equal(t, http.StatusNotFound, missing.Status)
	require.JSONEq(t, `{"error":"not_found"}`, missing.Body)
	require.Equal(t, "application/json", missing.Header.Get("Content-Type"))
}

func TestAnswerWithoutBody(t *testing.T) {
	t.Parallel()
	s := newSurface(t)
	project := fmt.Sprintf("/v1/projects/%d/keys", s.CreateProject(t))
	created := s.SendAsAdmin(t, http.MethodPost, project, "")
	require.Equal(t, http.StatusCreated, created.Status, created.Body)
	key := decodeBody[core.Data[core.ProjectKey]](t, created.Body).Data.PublicKey
	answer := s.SendAsAdmin(t, http.MethodDelete, project+"/"+key, "")
	require.Equal(t, http.StatusNoContent, answer.Status)
	require.Empty(t, answer.Body)
	require.Empty(t, answer.Header.Get("Content-Type"))
}

func TestAlias(t *testing.T) {
	t.Parallel()
	s := newSurface(t)
	path := fmt.Sprintf("/v1/issues/%d/claim", s.CreateIssue(t))
	require.Contains(t, s.SendAsAdmin(t, http.MethodPost, path, "").Body, `"holder":"ADMIN_TOKEN"`)
	answer := s.SendAsAdmin(t, http.MethodDelete, path, "")
	require.Equal(t, http.StatusOK, answer.Status)
	require.Contains(t, answer.Body, `"claim":null`)
}

func TestPathValuesAreUnescaped(t *testing.T) {
	t.Parallel()
	s := newSurface(t)
	s.CreateProject(t) // Web shop, with the slug web-shop
	answer := s.SendAsAdmin(t, http.MethodPost, "/v1/projects/web%2Dshop/keys", "")
	require.Equal(t, http.StatusCreated, answer.Status, answer.Body)
	slash := s.SendAsAdmin(t, http.MethodPost, "/v1/projects/web%2Fshop/keys", "")
	require.JSONEq(t, `{"error":"project_not_found"}`, slash.Body)
}

func TestHEAD(t *testing.T) {
	t.Parallel()
	s := newSurface(t)
	answer := s.SendRequest(t, surfacetest.Request{Method: http.MethodHead, Path: "/v1/projects", Token: surfacetest.AdminToken})
	require.Equal(t, http.StatusOK, answer.Status)
	require.Empty(t, answer.Body)
}

func TestRequestIDOfAnError(t *testing.T) {
	t.Parallel()
	s := newSurface(t)
	s.Store.Close()
	answer := s.SendAsAdmin(t, http.MethodGet, "/v1/projects", "")
	require.GreaterOrEqual(t, answer.Status, http.StatusInternalServerError)
	require.NotContains(t, strings.ToLower(answer.Body), "pool", "the cause stays in the log")
}
