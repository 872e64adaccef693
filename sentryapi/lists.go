package sentryapi

import (
	"fmt"
	"net/http"
	"time"

	"errand/core"
)

// organization is the one that Sentry's tools ask for. Errand has none, so every name stands for the installation.
type organization struct {
	ID                        string    `json:"id"`
	Slug                      string    `json:"slug"`
	Name                      string    `json:"name"`
	DateCreated               core.Time `json:"dateCreated"`
	IsEarlyAdopter            bool      `json:"isEarlyAdopter"`
	Require2FA                bool      `json:"require2FA"`
	RequiresEmailVerification bool      `json:"requireEmailVerification"`
	Features                  []string  `json:"features"`
}

// project is a project in Sentry's words.
type project struct {
	ID          string    `json:"id"`
	Slug        string    `json:"slug"`
	Name        string    `json:"name"`
	Platform    core.Text `json:"platform"`
	DateCreated core.Time `json:"dateCreated"`
	Team        *struct{} `json:"team"`
	Teams       []string  `json:"teams"`
}

// showInfo answers who the token is.
func (s *server) showInfo(r *request) (int, any, error) {
	actor := r.call.Actor
	return http.StatusOK, map[string]any{
		"version": s.Version,
		"auth":    map[string]any{"scopes": actor.Scopes},
		"user":    map[string]any{"id": fmt.Sprint(int64(actor.ID)), "email": actor.Name, "name": actor.Name, "username": actor.Name},
	}, nil
}

func (s *server) listOrganizations(*request) (int, any, error) {
	only := organization{ID: "1", Slug: "errand", Name: "Errand", DateCreated: core.At(time.Unix(0, 0)), Features: []string{}}
	return http.StatusOK, []organization{only}, nil
}

// listRepositories answers that none is connected, so that commits are read from the local repository.
func (s *server) listRepositories(*request) (int, any, error) { return http.StatusOK, []any{}, nil }

// listProjects lists the projects that the token can send to.
func (s *server) listProjects(r *request) (int, any, error) {
	listed, err := callOperation[core.Data[[]core.Project]](s, r, core.ListProjects.Operation, nil)
	if err != nil {
		return 0, nil, err
	}
	projects := []project{}
	for _, p := range listed.Data {
		if r.call.Actor.CheckProject(p.ID) == nil {
			projects = append(projects, project{
				ID: fmt.Sprint(p.ID), Slug: p.Slug, Name: p.Name, Platform: p.Platform, DateCreated: p.CreatedAt, Teams: []string{},
			})
		}
	}
	return http.StatusOK, projects, nil
}
