package store

import (
	"context"
	"errors"
	"slices"

	"errand/core"
	"errand/store/pg"
)

// OldHashes is how many hashes of earlier passwords are kept (management API, 1.9).
const OldHashes = 5

const (
	lockUser = findUserByID + ` FOR UPDATE`
	saveUser = `
UPDATE users
SET updated_at = @now, session_generation = @session_generation, email_address = @email_address, slug = @slug,
	password_hash = @password_hash, old_hashes = @old_hashes
WHERE id = @id`
	noteSignIn     = `UPDATE users SET last_logged_in_at = @now WHERE id = @id`
	upgradeHash    = `UPDATE users SET password_hash = @upgraded WHERE id = @id AND password_hash = @hash`
	lockSiteAdmins = `SELECT id FROM users WHERE site_admin AND disabled_at IS NULL ORDER BY id FOR UPDATE`
	disableUser    = `
UPDATE users SET disabled_at = @now, updated_at = @now, session_generation = session_generation + 1
WHERE id = @id`
	enableUser = `UPDATE users SET disabled_at = NULL, updated_at = @now WHERE id = @id`
)

// ErrLastSiteAdmin says that nobody else could administer the installation.
var ErrLastSiteAdmin = errors.New("store: the user is the last site admin")

// UserChange describes a change of a user. Fields with the zero value stay.
type UserChange struct {
	EmailAddress string // in the form of core.ReadEmailAddress
	PasswordHash core.Secret
}

// UpdateUser changes a user, or returns not_found or ErrEmailTaken. Links to choose a password end: they may have gone to the
// former address. A new address also changes the slug. A new password ends all sessions of the user, and the previous password is
// kept among the last OldHashes.
func (s *Store) UpdateUser(ctx context.Context, actor core.Actor, id int64, c UserChange) (user User, err error) {
	err = s.inTxOfSlug(ctx, func(t *tx) error {
		user, err = t.updateUser(ctx, actor, id, c)
		return err
	})
	return user, err
}

// SetPassword is UpdateUser for the password alone.
func (s *Store) SetPassword(ctx context.Context, actor core.Actor, id int64, hash core.Secret) error {
	_, err := s.UpdateUser(ctx, actor, id, UserChange{PasswordHash: hash})
	return err
}

func (t *tx) updateUser(ctx context.Context, actor core.Actor, id int64, c UserChange) (User, error) {
	user, err := pg.QueryOne[User](ctx, t, lockUser, pg.Args{"id": id})
	if err != nil {
		return User{}, err
	}
	changed := map[string]any{}
	if c.EmailAddress != "" && c.EmailAddress != user.EmailAddress {
		if err := t.checkEmailIsFree(ctx, id, c.EmailAddress); err != nil {
			return User{}, err
		}
		slug, err := t.findUserSlug(ctx, id, c.EmailAddress)
		if err != nil {
			return User{}, err
		}
		replaceSetting(changed, "email_address", true, &user.EmailAddress, c.EmailAddress)
		replaceSetting(changed, "slug", true, &user.Slug, slug)
	}
	if c.PasswordHash != "" {
		user.rememberPassword()
		user.PasswordHash, user.SessionGeneration = c.PasswordHash, user.SessionGeneration+1
		changed["password"] = "changed"
	}
	if len(changed) == 0 {
		return user, nil
	}
	if err := t.endUserLinks(ctx, id); err != nil {
		return User{}, err
	}
	user.UpdatedAt = t.Now
	if err := t.saveUser(ctx, user); err != nil {
		return User{}, err
	}
	return user, t.recordUser(ctx, actor, core.ActionUserUpdate, id, changed)
}

// rememberPassword puts the hash of the current password before the old ones.
func (u *User) rememberPassword() {
	if u.PasswordHash != "" {
		u.OldHashes = slices.Insert(u.OldHashes, 0, u.PasswordHash)
		u.OldHashes = u.OldHashes[:min(OldHashes, len(u.OldHashes))]
	}
}

func (t *tx) saveUser(ctx context.Context, u User) error {
	old := make([]string, len(u.OldHashes)) // a Secret as an argument would be stored in its printed form
	for i, hash := range u.OldHashes {
		old[i] = hash.Reveal()
	}
	_, err := pg.Exec(ctx, t, saveUser, pg.Args{
		"id": u.ID, "now": t.Now, "session_generation": u.SessionGeneration, "email_address": u.EmailAddress, "slug": u.Slug,
		"password_hash": u.PasswordHash.Reveal(), "old_hashes": old,
	})
	return err
}

// NoteSignIn records that the user signed in now.
func (s *Store) NoteSignIn(ctx context.Context, id int64) error {
	return s.inTxSoonWritten(ctx, func(t *tx) error {
		_, err := pg.Exec(ctx, t, noteSignIn, pg.Args{"id": id, "now": t.Now})
		return err
	})
}

// UpgradeHash replaces the hash of a password by another one of the same password, made with current parameters. It does
// nothing if the password has been changed since.
func (s *Store) UpgradeHash(ctx context.Context, id int64, hash, upgraded core.Secret) error {
	_, err := pg.Exec(ctx, s.db.Main, upgradeHash, pg.Args{"id": id, "hash": hash.Reveal(), "upgraded": upgraded.Reveal()})
	return err
}

// DisableUser keeps a user from signing in, and ends all sessions, claims and links. It returns not_found or ErrLastSiteAdmin. A
// user who is already disabled stays disabled.
func (s *Store) DisableUser(ctx context.Context, actor core.Actor, id int64) error {
	return s.setDisabled(ctx, actor, id, true)
}

// EnableUser lets a user sign in again, or returns not_found.
func (s *Store) EnableUser(ctx context.Context, actor core.Actor, id int64) error {
	return s.setDisabled(ctx, actor, id, false)
}

func (s *Store) setDisabled(ctx context.Context, actor core.Actor, id int64, disabled bool) error {
	return s.inTx(ctx, func(t *tx) error {
		sql := enableUser
		if disabled {
			sql = disableUser
			if err := t.checkOtherSiteAdmin(ctx, id); err != nil {
				return err
			}
		}
		user, err := pg.QueryOne[User](ctx, t, lockUser, pg.Args{"id": id})
		if err != nil || disabled != user.DisabledAt.IsZero() {
			return err
		}
		if _, err := pg.Exec(ctx, t, sql, pg.Args{"id": id, "now": t.Now}); err != nil {
			return err
		}
		err = t.recordUser(ctx, actor, core.ActionUserUpdate, id, map[string]bool{"disabled": disabled})
		if err != nil || !disabled {
			return err
		}
		if err := t.endUserLinks(ctx, id); err != nil {
			return err
		}
		return t.endClaims(ctx, actor, core.ActorUser, id)
	})
}

// checkOtherSiteAdmin returns ErrLastSiteAdmin if the user is the last site admin who can sign in. It locks all of them, so
// that two cannot remove each other at the same time.
func (t *tx) checkOtherSiteAdmin(ctx context.Context, id int64) error {
	admins, err := pg.QueryMany[struct{ ID int64 }](ctx, t, lockSiteAdmins, pg.Args{})
	if err == nil && len(admins) == 1 && admins[0].ID == id {
		return ErrLastSiteAdmin
	}
	return err
}
