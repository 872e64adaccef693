// Package tools is the behaviour of Errand. Each file is the handler of one operation, or one service for a surface outside the
// operations, such as authenticate.go. Files named shared_ serve several handlers. The package knows neither HTTP nor MCP.
package tools

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net"
	"slices"

	"errand/blob"
	"errand/core"
	"errand/fixes"
	"errand/notify"
	"errand/store"
)

// Tools carries out the operations.
type Tools struct {
	store      *store.Store
	adminToken core.Secret
	random     io.Reader
	scmHosts   fixes.Hosts
	findType   func(*core.Event) core.Untrusted
	blobs      blob.Store    // nil for none
	takeEvent  TakeTestEvent // nil for none
	uploads    chan struct{} // a place for each source map that is being taken
	webhooks   WebhookOptions
	mail       func(ctx context.Context, address, subject, text string) error // nil for none
	holdsNone  bool                                                           // Options.HoldsNothing
	describe   DescribeServer
	examine    ExamineServer
}

// Options are what the operations work with. The Store has the settings of the installation.
type Options struct {
	Store      *store.Store
	AdminToken core.Secret // the bootstrap admin; empty for none
	Random     io.Reader   // cryptographically strong
	SCMHost    string      // the hosts of pull requests (SCM_HOST), separated by commas; empty for DefaultSCMHost

	FindStoredType func(*core.Event) core.Untrusted // the type of a stored event by the rules of grouping; for a split
	Blobs          blob.Store                       // for source maps (BLOBS); nil for none
	TakeTestEvent  TakeTestEvent                    // takes test events in; nil where no events are taken in

	Webhooks WebhookOptions // with the zero value none can be created

	// Mail sends a mail to an address; nil where none can be sent.
	Mail           func(ctx context.Context, address, subject, text string) error
	DescribeServer DescribeServer // what only the process knows; nil for nothing
	ExamineServer  ExamineServer  // nil where nothing can be examined

	// HoldsNothing turns REQUIRE_APPROVAL off. It is for `errand demo`, which acts only on the demo project: examples
	// that wait for an admin would show nothing. It is never set for callers of an API, who are not exempt.
	HoldsNothing bool
}

// TakeTestEvent takes a native event in as the test event of a project, on the same path as the events of clients.
type TakeTestEvent func(ctx context.Context, project int64, event []byte) (core.Receipt, error)

// DefaultSCMHost is the host of pull requests unless SCM_HOST is set (decisions 2).
const DefaultSCMHost = "github.com"

// DefaultSCMAPIURL is the API of source control unless SCM_API_URL is set (decisions 2).
const DefaultSCMAPIURL = "https://api.github.com"

// New makes the Tools.
func New(o Options) *Tools {
	if o.Webhooks.Guard == nil {
		o.Webhooks.Guard = &notify.Guard{Lookup: net.DefaultResolver.LookupNetIP}
	}
	o.Webhooks.SCMAPIURL = cmp.Or(o.Webhooks.SCMAPIURL, DefaultSCMAPIURL)
	return &Tools{
		store: o.Store, adminToken: o.AdminToken, random: o.Random,
		scmHosts: fixes.ParseHosts(cmp.Or(o.SCMHost, DefaultSCMHost)), findType: o.FindStoredType,
		blobs: o.Blobs, takeEvent: o.TakeTestEvent, uploads: make(chan struct{}, maxUploads),
		webhooks: o.Webhooks, mail: o.Mail, holdsNone: o.HoldsNothing, describe: o.DescribeServer, examine: o.ExamineServer,
	}
}

// Registry binds every operation to its handler.
func (t *Tools) Registry(log *slog.Logger) (*core.Registry, error) {
	handlers := slices.Concat(t.bindIssues(), t.bindViews(), t.bindReleases(), t.bindInstallation(), t.bindAccount())
	registry, err := core.NewRegistry(core.V1, log, handlers...)
	if err == nil {
		registry.ReadLinksTo(func() string { return t.store.Settings().BaseURL })
	}
	return registry, err
}

// bindIssues binds the operations on projects, issues and events.
func (t *Tools) bindIssues() []core.Handler {
	return []core.Handler{
		core.BindHandler(core.ListProjects, t.listProjects),
		core.BindHandler(core.CreateProject, t.createProject),
		core.BindHandler(core.UpdateProject, t.updateProject),
		core.BindHandler(core.DeleteProject, t.deleteProject),
		core.BindHandler(core.CreateProjectKey, t.createProjectKey),
		core.BindHandler(core.DeleteProjectKey, t.deleteProjectKey),
		core.BindHandler(core.TryScrubbing, t.tryScrubbing),
		core.BindHandler(core.ListProjectTeams, t.listProjectTeams),
		core.BindHandler(core.CountOpenIssues, t.countOpenIssues),
		core.BindHandler(core.GetSourceMapState, t.getSourceMapState),

		core.BindHandler(core.ListIssues, t.listIssues),
		core.BindHandler(core.GetIssue, t.getIssue),
		core.BindHandler(core.ListIssueEvents, t.listIssueEvents),
		core.BindHandler(core.ListIssueActivity, t.listIssueActivity),
		core.BindHandler(core.GetEvent, t.getEvent),
		core.BindHandler(core.ResolveIssue, t.resolveIssue),
		core.BindHandler(core.IgnoreIssue, t.ignoreIssue),
		core.BindHandler(core.UnresolveIssue, t.unresolveIssue),
		core.BindHandler(core.NextIssueOp, t.nextIssue),
		core.BindHandler(core.ClaimIssue, t.claimIssue),
		core.BindHandler(core.ReleaseIssue, t.releaseIssue),
		core.BindHandler(core.AddNote, t.addNote),
		core.BindHandler(core.MergeIssues, t.mergeIssues),
		core.BindHandler(core.SplitIssue, t.splitIssue),
		core.BindHandler(core.LinkFix, t.linkFix),
		core.BindHandler(core.CorrectTriage, t.correctTriage),
		core.BindHandler(core.FindSimilar, t.findSimilar),
		core.BindHandler(core.GetBrief, t.getBrief),
	}
}

// bindViews binds the operations of which pages are made.
func (t *Tools) bindViews() []core.Handler {
	return []core.Handler{
		core.BindHandler(core.CountIssues, t.countIssues),
		core.BindHandler(core.ListFilterValues, t.listFilterValues),
		core.BindHandler(core.GetIssues, t.getIssues),
		core.BindHandler(core.GetIssueHours, t.getIssueHours),
		core.BindHandler(core.GetIssueDays, t.getIssueDays),
		core.BindHandler(core.GetIssueShares, t.getIssueShares),
		core.BindHandler(core.GetEventsAround, t.getEventsAround),
		core.BindHandler(core.ChangeIssues, t.changeIssues),

		core.BindHandler(core.ListClaims, t.listClaims),
		core.BindHandler(core.GetOutcomes, t.getOutcomes),
		core.BindHandler(core.ListFixes, t.listFixes),
	}
}

// bindReleases binds the operations on releases, source maps, tokens and API keys.
func (t *Tools) bindReleases() []core.Handler {
	return []core.Handler{
		core.BindHandler(core.CreateDeploy, t.createDeploy),
		core.BindHandler(core.ListReleases, t.listReleases),
		core.BindHandler(core.GetRelease, t.getRelease),
		core.BindHandler(core.GetReleaseHours, t.getReleaseHours),
		core.BindHandler(core.ListFixOutcomes, t.listFixOutcomes),

		core.BindHandler(core.UploadSourceMap, t.uploadSourceMap),
		core.BindHandler(core.ListSourceMaps, t.listSourceMaps),
		core.BindHandler(core.DeleteSourceMap, t.deleteSourceMap),

		core.BindHandler(core.CreateToken, t.createToken),
		core.BindHandler(core.ListTokens, t.listTokens),
		core.BindHandler(core.Whoami, t.whoami),
		core.BindHandler(core.RevokeToken, t.revokeToken),
		core.BindHandler(core.ListPeople, t.listPeople),
		core.BindHandler(core.InvitePerson, t.invitePerson),
		core.BindHandler(core.UpdatePerson, t.updatePerson),
		core.BindHandler(core.DeletePerson, t.deletePerson),
		core.BindHandler(core.CreatePersonLink, t.createPersonLink),

		core.BindHandler(core.CreateAPIKey, t.createAPIKey),
		core.BindHandler(core.ListAPIKeys, t.listAPIKeys),
		core.BindHandler(core.RevokeAPIKey, t.revokeAPIKey),
	}
}

// bindInstallation binds the operations on the setup, approvals, the timeline and webhooks.
func (t *Tools) bindInstallation() []core.Handler {
	return []core.Handler{
		core.BindHandler(core.CreateSetupKey, t.createSetupKey),
		core.BindHandler(core.ListSetupKeys, t.listSetupKeys),
		core.BindHandler(core.RevokeSetupKey, t.revokeSetupKey),
		core.BindHandler(core.RegisterApp, t.registerApp),
		core.BindHandler(core.CreateAgentToken, t.createAgentToken),
		core.BindHandler(core.SendTestEvent, t.sendTestEvent),
		core.BindHandler(core.ReportSetupStep, t.reportSetupStep),
		core.BindHandler(core.GetSetupProgress, t.getSetupProgress),
		core.BindHandler(core.GetSetupGuide, t.getSetupGuide),

		core.BindHandler(core.ListApprovals, t.listApprovals),
		core.BindHandler(core.CountApprovals, t.countApprovals),
		core.BindHandler(core.ApproveRequest, t.approveRequest),
		core.BindHandler(core.RejectRequest, t.rejectRequest),
		core.BindHandler(core.ListActivity, t.listActivity),

		core.BindHandler(core.CreateWebhook, t.createWebhook),
		core.BindHandler(core.ListWebhooks, t.listWebhooks),
		core.BindHandler(core.DeleteWebhook, t.deleteWebhook),
		core.BindHandler(core.TestWebhook, t.testWebhook),
		core.BindHandler(core.ListDeliveries, t.listDeliveries),
		core.BindHandler(core.ResendDelivery, t.resendDelivery),
		core.BindHandler(core.ListAlerts, t.listAlerts),
		core.BindHandler(core.RotateWebhookSecret, t.rotateWebhookSecret),
		core.BindHandler(core.GetServer, t.getServer),
		core.BindHandler(core.ExamineServer, t.examineServer),

		core.BindHandler(core.ListLabels, t.listLabels),
	}
}

// bindAccount binds the operations of a person on the own account.
func (t *Tools) bindAccount() []core.Handler {
	return []core.Handler{
		core.BindHandler(core.GetAccount, t.getAccount),
		core.BindHandler(core.UpdateAccount, t.updateAccount),
		core.BindHandler(core.ListSessions, t.listSessions),
		core.BindHandler(core.EndSession, t.endSession),
		core.BindHandler(core.EndOtherSessions, t.endOtherSessions),
	}
}

// wrapData wraps an object for the wire. It passes on the error of the call that made the object.
func wrapData[T any](v T, err error) (core.Data[T], error) { return core.Data[T]{Data: v}, err }
