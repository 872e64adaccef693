// Package tools is the behaviour of Errand: one file is one operation's handler. Rules over rows; it knows neither
// HTTP nor MCP.
package tools

import (
	"cmp"
	"io"
	"log/slog"

	"errand/core"
	"errand/store"
)

// Tools carries out the operations.
type Tools struct {
	store      *store.Store
	adminToken core.Secret
	random     io.Reader
	scmHost    string
}

// Options says what the operations work with. The settings of the installation are the Store's.
type Options struct {
	Store      *store.Store
	AdminToken core.Secret // the bootstrap admin; empty for none
	Random     io.Reader   // cryptographically strong
	SCMHost    string      // where pull requests are (SCM_HOST); empty for DefaultSCMHost
}

// DefaultSCMHost is where pull requests are unless SCM_HOST says otherwise (decisions 2).
const DefaultSCMHost = "github.com"

// New makes the Tools.
func New(o Options) *Tools {
	return &Tools{store: o.Store, adminToken: o.AdminToken, random: o.Random, scmHost: cmp.Or(o.SCMHost, DefaultSCMHost)}
}

// Registry binds every operation to its handler: the table of contents.
func (t *Tools) Registry(log *slog.Logger) (*core.Registry, error) {
	return core.NewRegistry(log,
		core.Bind(core.ListProjects, t.listProjects),
		core.Bind(core.CreateProject, t.createProject),
		core.Bind(core.UpdateProject, t.updateProject),
		core.Bind(core.DeleteProject, t.deleteProject),
		core.Bind(core.CreateProjectKey, t.createProjectKey),
		core.Bind(core.DeleteProjectKey, t.deleteProjectKey),

		core.Bind(core.ListIssues, t.listIssues),
		core.Bind(core.GetIssue, t.getIssue),
		core.Bind(core.ListIssueEvents, t.listIssueEvents),
		core.Bind(core.ListIssueActivity, t.listIssueActivity),
		core.Bind(core.GetEvent, t.getEvent),
		core.Bind(core.ResolveIssue, t.resolveIssue),
		core.Bind(core.IgnoreIssue, t.ignoreIssue),
		core.Bind(core.UnresolveIssue, t.unresolveIssue),
		core.Bind(core.ClaimIssue, t.claimIssue),
		core.Bind(core.ReleaseIssue, t.releaseIssue),
		core.Bind(core.AddNote, t.addNote),
		core.Bind(core.MergeIssues, t.mergeIssues),
		core.Bind(core.SplitIssue, t.splitIssue),
		core.Bind(core.LinkFix, t.linkFix),
		core.Bind(core.CorrectTriage, t.correctTriage),
		core.Bind(core.FindSimilar, t.findSimilar),

		core.Bind(core.CreateDeploy, t.createDeploy),
		core.Bind(core.ListReleases, t.listReleases),
		core.Bind(core.GetRelease, t.getRelease),
		core.Bind(core.ListFixOutcomes, t.listFixOutcomes),

		core.Bind(core.CreateToken, t.createToken),
		core.Bind(core.ListTokens, t.listTokens),
		core.Bind(core.Whoami, t.whoami),
		core.Bind(core.RevokeToken, t.revokeToken),

		core.Bind(core.ListApprovals, t.listApprovals),
		core.Bind(core.ApproveRequest, t.approveRequest),
		core.Bind(core.RejectRequest, t.rejectRequest),
		core.Bind(core.ListActivity, t.listActivity),
		core.Bind(core.ListLabels, t.listLabels),
	)
}

// data wraps an object as the wire has it; it passes the error of the call that made it on.
func data[T any](v T, err error) (core.Data[T], error) { return core.Data[T]{Data: v}, err }
