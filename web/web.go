// Package web is the pages for people: how they sign in, their sessions, their own account, the first run, the issues. Each page is a
// file beside its template. The pages need no script; ours adds keys, copying, local times and parts that are kept up to date.
package web

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"time"

	"errand/core"
	"errand/web/sso"
)

// Options says what the pages work with. All but SSO must be set.
type Options struct {
	BaseURL  func() string // the public URL as it is now
	Clock    core.Clock
	Log      *slog.Logger
	Sessions Sessions
	Accounts Accounts
	SSO      *sso.Provider // nil without single sign-on

	// Registry carries out the operations. The pages read and change everything through it, as the person who is signed in.
	Registry *core.Registry
	// Management carries out the operations of /api/v1: teams and their members. The pages call it for site admins alone.
	Management *core.Registry
	// FindActor returns the person who is signed in by the cookie of a request, or unauthorized.
	FindActor func(r *http.Request) (core.Actor, error)

	// Holds reports whether an action waits for a second admin.
	Holds func(core.HeldAction) bool

	// Failure makes any error one that a person may see, and logs the rest.
	Failure   func(ctx context.Context, what, requestID string, err error) *core.Error
	RequestID func(context.Context) string
}

// Sessions are the rows of sessions, each by the SHA-256 of what stands in the cookie.
type Sessions struct {
	// Find returns not_found for a session that is unknown or has ended.
	Find   func(ctx context.Context, hash []byte) (core.KeptSession, error)
	Add    func(context.Context, core.NewSession) error
	Extend func(ctx context.Context, hash []byte, until time.Time) error
	End    func(ctx context.Context, hash []byte) error
	// FindLiveVersion returns a text that changes with what the live part of an issue, or (0) of the list of issues, shows to the person
	// of a session. It is empty for a session that is unknown or ends before the time until, and for an unknown issue.
	FindLiveVersion func(ctx context.Context, hash []byte, until time.Time, issue int64) (string, error)
}

// Accounts are the rules about people who sign in. Their errors are core.Error: unauthorized for what does not fit together, limit
// for too many attempts, not_found for a link that cannot be used, invalid_request for a field that is not allowed, forbidden with
// a reason for somebody who is known and may not sign in.
type Accounts struct {
	FindPerson     func(ctx context.Context, id int64) (core.Person, error)
	SignIn         func(context.Context, core.SignInAttempt) (core.Person, error)
	SignDevice     func(core.Person) (core.Secret, error)
	CountVisit     func(ctx context.Context, client netip.Addr) error
	SignInBy       func(ctx context.Context, i core.ProviderIdentity, client netip.Addr) (core.Person, error)
	CheckLink      func(ctx context.Context, code core.Secret) (core.Person, error)
	SignUp         func(ctx context.Context, code core.Secret, emailAddress string, password core.Secret) (core.Person, error)
	ResetPassword  func(ctx context.Context, code, password core.Secret) (core.Person, error)
	ChangePassword func(ctx context.Context, current core.SignInAttempt, password core.Secret) (core.Person, error)
	// RequestPassword has a mail sent; nil where none can be sent.
	RequestPassword func(ctx context.Context, emailAddress string, client netip.Addr) error
}

// The paths of the pages.
const (
	signInPath         = "/sign-in"
	ssoPath            = "/sign-in/sso"
	ssoCallbackPath    = "/sign-in/sso/callback"
	signOutPath        = "/sign-out"
	signUpPath         = "/sign-up"
	forgotPasswordPath = "/forgot-password"
	resetPasswordPath  = "/reset-password"
	accountPath        = "/account"
	newPasswordPath    = "/account/password"
	endSessionPath     = "/account/sessions/end"
	endSessionsPath    = "/account/sign-out-everywhere"
	preferencesPath    = "/account/preferences"
	welcomePath        = "/welcome"
	issuesPath         = "/"
	changeIssuesPath   = "/issues/change"
	mergeIssuesPath    = "/issues/merge"
	agentsPath         = "/agents"
	galleryPath        = "/web/gallery"
)

// Site is the pages.
type Site struct {
	Options
	limited core.LineLimit // of what the log has about too many attempts
}

// New makes the pages.
func New(o Options) *Site { return &Site{Options: o} }

// Routes returns the handler of each path.
func (s *Site) Routes() map[string]http.Handler {
	routes := map[string]http.Handler{
		signInPath:         s.makePage(s.showSignIn, s.takeSignIn),
		signOutPath:        s.makePage(nil, s.takeSignOut),
		signUpPath:         s.makePage(s.showSignUp, s.takeSignUp),
		forgotPasswordPath: s.makePage(s.showForgotPassword, s.takeForgotPassword),
		resetPasswordPath:  s.makePage(s.showResetPassword, s.takeResetPassword),
		accountPath:        s.makePersonPage(s.showAccount, nil),
		newPasswordPath:    s.makePersonPage(nil, s.takeNewPassword),
		endSessionPath:     s.makePersonPage(nil, s.takeEndSession),
		endSessionsPath:    s.makePersonPage(nil, s.takeEndSessions),
		preferencesPath:    s.makePersonPage(nil, s.takePreferences),
		welcomePath:        s.makePersonPage(s.showWelcome, s.takeWelcome),
	}
	for _, more := range []map[string]http.Handler{s.routeIssues(), s.routeProjects(), s.routeSettings()} {
		maps.Copy(routes, more)
	}
	if s.SSO != nil {
		routes[ssoPath] = s.makePage(s.startSSO, nil)
		routes[ssoCallbackPath] = s.makePage(s.finishSSO, nil)
	}
	return routes
}

// routeIssues returns the pages of issues, agents, approvals and releases.
func (s *Site) routeIssues() map[string]http.Handler {
	return map[string]http.Handler{
		issuesPath:       s.makeLivePage(newsName, s.showIssues),
		changeIssuesPath: s.makePersonPage(nil, s.takeIssueChange),
		mergeIssuesPath:  s.makePersonPage(s.showMerge, s.takeMerge),
		issuePath:        s.makeLivePage(headPart, s.showIssue),
		issueBriefPath:   s.makePersonPage(s.showBrief, nil),
		issueAgentPath:   s.makePersonPage(s.showAgentView, nil),
		issueCopyPath:    s.makePersonPage(s.showCopy, nil),
		notePath:         s.makePersonPage(nil, s.takeNote),
		issueFixPath:     s.makePersonPage(nil, s.takeFix),
		issueIgnorePath:  s.makePersonPage(nil, s.takeIgnore),
		issueReleasePath: s.makePersonPage(nil, s.takeRelease),
		issueTriagePath:  s.makePersonPage(s.showTriage, s.takeTriage),
		issueSplitPath:   s.makePersonPage(s.showSplit, s.takeSplit),
		agentsPath:       s.makePersonPage(s.showAgents, nil),
		approvalsPath:    s.makePersonPage(s.showApprovals, nil),
		releasesPath:     s.makePersonPage(s.showReleases, nil),
		releasePath:      s.makePersonPage(s.showRelease, nil),
		decidePath:       s.makePersonPage(nil, s.takeDecision),
		galleryPath:      s.makePersonPage(s.showGallery, nil),
	}
}

// routeProjects returns the pages of projects.
func (s *Site) routeProjects() map[string]http.Handler {
	return map[string]http.Handler{
		projectsPath:         s.makePersonPage(s.showProjects, s.takeProjects),
		setupPath:            s.makePersonPage(s.showSetup, s.takeSetup),
		setupRevokePath:      s.makePersonPage(s.showSetupRevocation, s.takeSetupRevocation),
		projectPath:          s.makePersonPage(s.showProject, nil),
		projectKeysPath:      s.makePersonPage(nil, s.takeProjectKey),
		projectKeyPath:       s.makePersonPage(s.showKeyRevocation, s.takeKeyRevocation),
		projectSettingsPath:  s.makePersonPage(s.showProjectSettings, s.takeProjectSettings),
		projectScrubbingPath: s.makePersonPage(s.showProjectScrubbing, s.takeProjectScrubbing),
		projectMapsPath:      s.makePersonPage(s.showProjectMaps, nil),
		projectMapPath:       s.makePersonPage(s.showMapDeletion, s.takeMapDeletion),
		projectMembersPath:   s.makePersonPage(s.showProjectMembers, nil),
		projectDeletePath:    s.makePersonPage(s.showProjectDeletion, s.takeProjectDeletion),
	}
}

// routeSettings returns the pages of the settings.
func (s *Site) routeSettings() map[string]http.Handler {
	return map[string]http.Handler{
		settingsPath:      s.makePersonPage(s.showSettings, nil),
		peoplePath:        s.makePersonPage(s.showPeople, s.takePeople),
		personPath:        s.makePersonPage(nil, s.takePerson),
		personDeletePath:  s.makePersonPage(s.showPersonDeletion, s.takePersonDeletion),
		teamsPath:         s.makePersonPage(s.showTeams, s.takeTeams),
		teamPath:          s.makePersonPage(s.showTeam, s.takeTeam),
		teamDeletePath:    s.makePersonPage(s.showTeamDeletion, s.takeTeamDeletion),
		activityPath:      s.makePersonPage(s.showActivity, nil),
		activityCSVPath:   s.makePersonPage(s.sendActivityCSV, nil),
		tokensPath:        s.makePersonPage(s.showTokens, s.takeToken),
		revokeTokenPath:   s.makePersonPage(s.showRevokeToken, s.takeRevokeToken),
		keysPath:          s.makePersonPage(s.showKeys, s.takeKey),
		revokeKeyPath:     s.makePersonPage(s.showRevokeKey, s.takeRevokeKey),
		webhooksPath:      s.makePersonPage(s.showWebhooks, nil),
		newWebhookPath:    s.makePersonPage(s.showNewWebhook, s.takeNewWebhook),
		webhookPath:       s.makePersonPage(s.showWebhook, s.takeWebhook),
		webhookSecretPath: s.makePersonPage(s.showWebhookSecret, s.takeWebhookSecret),
		webhookDeletePath: s.makePersonPage(s.showWebhookDelete, s.takeWebhookDelete),
		serverPath:        s.makePersonPage(s.showServer, nil),
	}
}

// SignUpURL returns the link with which the first user signs up.
func SignUpURL(baseURL string, code core.Secret) core.Secret {
	return core.Secret(baseURL + signUpPath + "?code=" + code.Reveal())
}

// SSOCallbackURL returns where the provider of single sign-on sends people back to.
func SSOCallbackURL(baseURL string) string { return baseURL + ssoCallbackPath }
