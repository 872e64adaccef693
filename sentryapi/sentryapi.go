// Package sentryapi answers the part of Sentry's API that sentry-cli and Sentry's plugins for bundlers use: releases and
// their commits, deploys, and source maps. They need no change but SENTRY_URL and the token. The package calls operations
// through the registry, and its Options where no operation exists.
package sentryapi

import (
	"context"
	"io"
	"net/http"

	"github.com/go-chi/chi/v5"

	"errand/core"
)

// Options are the parts of the surface. All but Chunks must be set.
type Options struct {
	Registry     *core.Registry
	Authenticate func(context.Context, core.Secret) (core.Actor, error)
	RequestID    func(context.Context) string // for the HTTP request that the context belongs to
	BaseURL      func() string                // the present public URL
	Version      string                       // of Errand
	Clock        core.Clock
	Releases     Releases
	Chunks       Chunks // nil: no storage for source maps
}

// Releases is what no operation offers.
type Releases interface {
	FindReleaseProjects(ctx context.Context, actor core.Actor, organization, version string, named []string) ([]int64, error)
	CreateRelease(ctx context.Context, project int64, version string) error
	JoinProjectsOfRelease(ctx context.Context, projects []int64, version string) error
	FinalizeRelease(ctx context.Context, projects []int64, version string) error
	ReadReleasedAt(ctx context.Context, releases []core.Release) (map[core.ReleaseKey]core.Time, error)
	KeepReleaseCommits(ctx context.Context, project int64, version string, commits []string) error
	ReadReleaseCommits(ctx context.Context, project int64, version string) ([]string, error)
	FindCommitsBefore(ctx context.Context, project int64, version string) (release, commit string, err error)
}

// Chunks keeps the pieces of uploads, by owner and SHA-1, until they are assembled.
type Chunks interface {
	FindMissing(ctx context.Context, owner string, sums []string) ([]string, error)
	PutChunk(ctx context.Context, owner, sum string, data io.Reader) error
	OpenWhole(ctx context.Context, owner string, sums []string) (Whole, error) // missing pieces are not_found
	DropChunks(ctx context.Context, owner string, sums []string) error
}

// Whole is the file that pieces form.
type Whole interface {
	io.ReaderAt
	io.Closer
	Size() int64 // bytes
}

// server holds what the handlers share.
type server struct {
	Options
	assemblies *assemblies
}

// New makes the handler of the paths below /api/0.
func New(o Options) http.Handler {
	s := &server{Options: o, assemblies: newAssemblies()}
	router := chi.NewRouter()
	router.NotFound(s.serveNotFound)
	router.MethodNotAllowed(s.serveNotFound)
	for _, e := range endpoints {
		router.Method(e.method, e.path, s.serve(e))
		if e.path != "/" {
			router.Method(e.method, e.path+"/", s.serve(e))
		}
	}
	return router
}

// handler answers a request with a status and a JSON body.
type handler func(*server, *request) (status int, body any, err error)

// endpoint is a path of Sentry's API that Errand answers, with the scope that it needs.
type endpoint struct {
	method, path string
	scope        core.Scope
	handle       handler
}

// endpoints are all paths. Reading goes through operations, which check their own scopes.
var endpoints = []endpoint{
	{http.MethodGet, "/", core.AnyToken, (*server).showInfo},
	{http.MethodGet, "/organizations", core.AnyToken, (*server).listOrganizations},
	{http.MethodGet, "/organizations/{org}/projects", core.AnyToken, (*server).listProjects},
	{http.MethodGet, "/organizations/{org}/repos", core.AnyToken, (*server).listRepositories},

	{http.MethodGet, "/organizations/{org}/releases", core.AnyToken, (*server).listReleases},
	{http.MethodGet, "/projects/{org}/{project}/releases", core.AnyToken, (*server).listReleases},
	{http.MethodPost, "/organizations/{org}/releases", core.ReleasesWrite, (*server).createRelease},
	{http.MethodPost, "/projects/{org}/{project}/releases", core.ReleasesWrite, (*server).createRelease},
	{http.MethodGet, "/organizations/{org}/releases/{version}", core.AnyToken, (*server).showRelease},
	{http.MethodGet, "/projects/{org}/{project}/releases/{version}", core.AnyToken, (*server).showRelease},
	{http.MethodPut, "/organizations/{org}/releases/{version}", core.ReleasesWrite, (*server).changeRelease},
	{http.MethodPut, "/projects/{org}/{project}/releases/{version}", core.ReleasesWrite, (*server).changeRelease},
	{http.MethodDelete, "/organizations/{org}/releases/{version}", core.ReleasesWrite, (*server).refuseDeletion},
	{http.MethodDelete, "/projects/{org}/{project}/releases/{version}", core.ReleasesWrite, (*server).refuseDeletion},
	{http.MethodGet, "/organizations/{org}/releases/{version}/previous-with-commits", core.ReleasesWrite, (*server).showCommitsBefore},
	{http.MethodGet, "/organizations/{org}/releases/{version}/deploys", core.AnyToken, (*server).listDeploys},
	{http.MethodPost, "/organizations/{org}/releases/{version}/deploys", core.ReleasesWrite, (*server).createDeploy},

	{http.MethodGet, "/organizations/{org}/chunk-upload", core.ReleasesWrite, (*server).showChunkOptions},
	{http.MethodPost, "/organizations/{org}/chunk-upload", core.ReleasesWrite, (*server).takeChunks},
	{http.MethodPost, "/organizations/{org}/artifactbundle/assemble", core.ReleasesWrite, (*server).assembleBundle},
}
