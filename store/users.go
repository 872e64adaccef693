package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"errand/core"
	"errand/store/activity"
	"errand/store/pg"
)

// Users have their own series of ids: the type of an actor distinguishes a user from a token.
const userIDs pg.Series = "users"

const selectUsers = `
SELECT u.id, u.created_at, u.updated_at, u.last_logged_in_at, u.disabled_at, u.session_generation, u.site_admin, u.email_address, u.slug,
	u.password_hash, u.old_hashes, u.without_keys, u.oldest_first, u.zone
FROM users u`

const (
	listUsers         = selectUsers + ` ORDER BY u.created_at DESC, u.id DESC`
	findUserByID      = selectUsers + ` WHERE u.id = @id`
	findUserBySlug    = selectUsers + ` WHERE u.slug = @slug`
	findUserByEmail   = selectUsers + ` WHERE u.email_address = @email_address`
	findAnyUser       = `SELECT EXISTS (SELECT 1 FROM users) AS found`
	findTakenEmail    = `SELECT EXISTS (SELECT 1 FROM users WHERE email_address = @email_address AND id <> @id) AS found`
	listUserSlugsLike = `SELECT slug FROM users WHERE id <> @id AND (slug = @slug OR starts_with(slug, @slug || '-'))`
	insertUser        = `
INSERT INTO users (id, created_at, updated_at, site_admin, email_address, slug, password_hash)
VALUES (@id, @now, @now, @site_admin, @email_address, @slug, @password_hash) ON CONFLICT DO NOTHING`
)

// ErrEmailTaken says that another user has the address.
var ErrEmailTaken = errors.New("store: the e-mail address is taken")

// User is a person.
type User struct {
	ID                int64
	CreatedAt         core.Time
	UpdatedAt         core.Time
	LastLoggedInAt    core.Time // the zero time before the first sign-in
	DisabledAt        core.Time // the zero time while the user may sign in
	SessionGeneration int64     // sessions of an earlier generation have ended
	SiteAdmin         bool
	EmailAddress      string
	Slug              string
	PasswordHash      core.Secret   // empty for a user without a password here
	OldHashes         []core.Secret // of earlier passwords, latest first

	preferenceColumns
}

// ListHashes returns the hash of the current password, which may be empty, and the hashes of earlier ones.
func (u User) ListHashes() []string {
	hashes := []string{u.PasswordHash.Reveal()}
	for _, hash := range u.OldHashes {
		hashes = append(hashes, hash.Reveal())
	}
	return hashes
}

// ListUsers lists all users, newest first.
func (s *Store) ListUsers(ctx context.Context) ([]User, error) {
	return pg.QueryMany[User](ctx, s.db.Main, listUsers, pg.Args{})
}

// ReadUser returns a user, or not_found.
func (s *Store) ReadUser(ctx context.Context, id int64) (User, error) {
	return pg.QueryOne[User](ctx, s.db.Main, findUserByID, pg.Args{"id": id})
}

// FindUser returns the user that the reference names by id or slug, or not_found.
func (s *Store) FindUser(ctx context.Context, ref string) (User, error) {
	if id, err := strconv.ParseInt(ref, 10, 64); err == nil {
		return s.ReadUser(ctx, id)
	}
	return pg.QueryOne[User](ctx, s.db.Main, findUserBySlug, pg.Args{"slug": ref})
}

// FindUserByEmail returns the user with the address, given in the form of core.ReadEmailAddress, or not_found.
func (s *Store) FindUserByEmail(ctx context.Context, address string) (User, error) {
	return pg.QueryOne[User](ctx, s.db.Main, findUserByEmail, pg.Args{"email_address": address})
}

// HasUsers reports whether there is any user.
func (s *Store) HasUsers(ctx context.Context) (bool, error) {
	row, err := pg.QueryOne[struct{ Found bool }](ctx, s.db.Main, findAnyUser, pg.Args{})
	return row.Found, err
}

// NewUser is a user to create.
type NewUser struct {
	EmailAddress string      // in the form of core.ReadEmailAddress
	PasswordHash core.Secret // empty for none
	SiteAdmin    bool
}

// CreateUser creates a user, or returns ErrEmailTaken.
func (s *Store) CreateUser(ctx context.Context, actor core.Actor, n NewUser) (user User, err error) {
	err = s.inTx(ctx, func(t *tx) error {
		user, err = t.createUser(ctx, actor, n)
		return err
	})
	return user, err
}

func (t *tx) createUser(ctx context.Context, actor core.Actor, n NewUser) (User, error) {
	id, err := t.store.db.IDs.TakeOne(ctx, userIDs)
	if err != nil {
		return User{}, err
	}
	if err := t.insertUser(ctx, id, n); err != nil {
		return User{}, err
	}
	data := map[string]any{"email_address": n.EmailAddress, "site_admin": n.SiteAdmin}
	if err := t.recordUser(ctx, actor, core.ActionUserCreate, id, data); err != nil {
		return User{}, err
	}
	return pg.QueryOne[User](ctx, t, findUserByID, pg.Args{"id": id})
}

// insertUser inserts the user under a free slug.
func (t *tx) insertUser(ctx context.Context, id int64, n NewUser) error {
	for range slugAttempts {
		if err := t.checkEmailIsFree(ctx, id, n.EmailAddress); err != nil {
			return err
		}
		slug, err := t.findUserSlug(ctx, id, n.EmailAddress)
		if err != nil {
			return err
		}
		inserted, err := pg.Exec(ctx, t, insertUser, pg.Args{
			"id": id, "now": t.Now, "site_admin": n.SiteAdmin, "email_address": n.EmailAddress, "slug": slug,
			"password_hash": n.PasswordHash.Reveal(),
		})
		if err != nil || inserted == 1 {
			return err
		}
	}
	return errNoSlug
}

// checkEmailIsFree returns ErrEmailTaken when another user has the address.
func (t *tx) checkEmailIsFree(ctx context.Context, id int64, address string) error {
	row, err := pg.QueryOne[struct{ Found bool }](ctx, t, findTakenEmail, pg.Args{"email_address": address, "id": id})
	if err == nil && row.Found {
		return ErrEmailTaken
	}
	return err
}

// findUserSlug returns a slug for the user, made from the part of the address before the @.
func (t *tx) findUserSlug(ctx context.Context, id int64, address string) (string, error) {
	name, _, _ := strings.Cut(address, "@")
	slug := core.MakeSlugOf("user", name)
	return t.numberSlug(ctx, listUserSlugsLike, pg.Args{"id": id, "slug": slug}, slug)
}

func (t *tx) recordUser(ctx context.Context, actor core.Actor, action core.Action, id int64, data any) error {
	entry := activity.Entry{Actor: actor, Action: action, TargetType: core.TargetUser, TargetID: id, Data: data}
	if _, err := t.recordActivity(ctx, entry); err != nil {
		return fmt.Errorf("the activity of a user: %w", err)
	}
	return nil
}
