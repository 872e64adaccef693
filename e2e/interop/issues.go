package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"errand/e2e/loop"
)

// makeIssues makes a project with an issue for each client to fix.
func (s *server) makeIssues(ctx context.Context) error {
	admin, err := s.command("token", "create", "--name", "admin of "+tokenName, "--scope", "admin").Output()
	if err != nil {
		return err
	}
	var created struct{ Data struct{ DSN string } }
	err = post(ctx, s.url+"/v1/projects", strings.TrimSpace(string(admin)), []byte(`{"name":"Django shop"}`), &created)
	if err != nil {
		return err
	}
	dsn, err := url.Parse(created.Data.DSN)
	if err != nil {
		return err
	}
	store := fmt.Sprintf("%s/api%s/store/?sentry_key=%s", s.url, dsn.Path, dsn.User.Username())
	for n := range clients {
		if err := post(ctx, store, "", loop.MakeDjangoEvent(n), nil); err != nil {
			return err
		}
	}
	return nil
}

// post sends a body, with a token unless it is empty, and decodes the answer into into.
func post(ctx context.Context, to, token string, body []byte, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s answers %s", request.URL.Path, answer.Status)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(answer.Body).Decode(into)
}
