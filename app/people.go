package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"time"

	"errand/api"
	"errand/core"
	"errand/passwords"
	"errand/tools"
	"errand/tools/accounts"
	"errand/web"
	"errand/web/sso"
)

// people is the signing in of people, and their pages.
type people struct {
	passwords  *passwords.Hasher
	accounts   *accounts.Accounts
	management *core.Registry // of /api/v1
	site       *web.Site
}

// openPeople makes the accounts and the pages. A server without the role web uses only the sessions of the pages.
func (a *App) openPeople(ctx context.Context, registry *core.Registry, behaviour *tools.Tools) error {
	deviceKey, err := ensureKey(ctx, a.db.Store, "sign-in-devices")
	if err != nil {
		return err
	}
	a.people.passwords = passwords.New(cmp.Or(a.config.PasswordParams, passwords.Recommended))
	options := accounts.Options{
		Store: a.db.Store, Passwords: a.people.passwords, Random: rand.Reader, DeviceKey: deviceKey, Log: a.log, BaseURL: a.URL,
		AllowedDomains: a.config.allowedDomains, Mail: a.describeMail(), Observe: a.metrics.countSignIn,
	}
	a.people.accounts = accounts.New(options)
	if a.people.management, err = newManagement(a.db, behaviour, a.people.passwords).Registry(a.log); err != nil {
		return err
	}
	a.people.site = web.New(web.Options{
		BaseURL: a.URL, Clock: a.db.clock.tellTime, Log: a.log, Accounts: a.describeAccounts(), SSO: a.newSSO(),
		Sessions: web.Sessions{
			Find: a.db.FindSession, Add: a.db.AddSession, Extend: a.db.ExtendSession, End: a.db.EndSession,
			FindLiveVersion: a.findLiveVersion,
		},
		Registry: registry, Management: a.people.management, FindActor: a.authenticateSession(behaviour),
		Holds:   func(action core.HeldAction) bool { return slices.Contains(a.db.Settings().RequireApproval, action) },
		Failure: registry.Failure, RequestID: func(ctx context.Context) string { return api.CallerOf(ctx).RequestID },
	})
	if !a.config.hasRole(roleWeb) {
		return nil
	}
	code, err := a.people.accounts.MakeSignUpLink(ctx)
	if err == nil && code != "" {
		a.SignUpLink = web.SignUpURL(a.URL(), code)
	}
	return err
}

func (a *App) describeAccounts() web.Accounts {
	of := a.people.accounts
	described := web.Accounts{
		FindPerson: of.FindPerson, SignIn: of.SignIn, SignDevice: of.SignDevice, CountVisit: of.CountVisit, SignInBy: of.SignInBy,
		CheckLink: of.CheckLink, SignUp: of.SignUp, ResetPassword: of.ResetPassword, ChangePassword: of.ChangePassword,
	}
	if of.Mail != nil {
		described.RequestPassword = of.RequestPassword
	}
	return described
}

// newSSO returns the provider of single sign-on; nil for none.
func (a *App) newSSO() *sso.Provider {
	c := a.config.SSOConfig
	if c.OIDCIssuer == "" {
		return nil
	}
	return sso.New(sso.Options{
		Issuer: c.OIDCIssuer, ClientID: c.OIDCClientID, ClientSecret: c.OIDCClientSecret, Clock: time.Now,
		RedirectURL: func() string { return web.SSOCallbackURL(a.URL()) },
	})
}

// authenticateSession returns the actor whom the cookie of a request signs in, or unauthorized. Changes that another
// site makes the browser request are forbidden. Wrong cookies count as failed authentication.
func (a *App) authenticateSession(behaviour *tools.Tools) func(*http.Request) (core.Actor, error) {
	return func(r *http.Request) (core.Actor, error) {
		if !a.people.site.HasCookie(r) {
			return core.Actor{}, core.NewError(core.Unauthorized)
		}
		if err := a.people.site.CheckOrigin(r); err != nil {
			return core.Actor{}, core.NewError(core.Forbidden).With("reason", "another site has asked for it").Because(err)
		}
		end, err := a.failures.TakeTurn(r.Context())
		if err != nil {
			return core.Actor{}, err
		}
		defer end()
		actor, err := a.findSessionActor(r, behaviour)
		if core.HasCode(err, core.Unauthorized) {
			err = a.failures.RefuseCredential(r.Context())
		}
		return actor, err
	}
}

func (a *App) findSessionActor(r *http.Request, behaviour *tools.Tools) (core.Actor, error) {
	session, err := a.people.site.FindSession(r)
	if err != nil {
		return core.Actor{}, err
	}
	actor, generation, err := behaviour.FindUserActor(r.Context(), session.UserID)
	if err == nil && generation != session.Generation {
		err = core.NewError(core.Unauthorized)
	}
	if err != nil {
		return core.Actor{}, err
	}
	actor.Session = session.ID
	return actor, nil
}

// findLiveVersion is FindLiveVersion of the store, which takes a turn like each look at a credential.
func (a *App) findLiveVersion(ctx context.Context, hash []byte, until time.Time, issue int64) (string, error) {
	end, err := a.failures.TakeTurn(ctx)
	if err != nil {
		return "", err
	}
	defer end()
	return a.db.FindLiveVersion(ctx, hash, until, issue)
}

// describeMail returns what sends mails; nil where none can be sent.
func (a *App) describeMail() func(ctx context.Context, address, subject, text string) error {
	if a.config.mailer == nil {
		return nil
	}
	return func(ctx context.Context, address, subject, text string) error {
		if a.db.Settings().HoldsOutgoing {
			return errHeldMail
		}
		return a.config.mailer.SendText(ctx, address, subject, text)
	}
}

var errHeldMail = errors.New("OUTGOING is off: no mail is sent")

// pageAssets are the style sheet and the icon for pages outside web.
var pageAssets = api.Assets{Style: web.AssetPath("style.css"), Icon: web.AssetPath("icon.svg")}
