package store

import (
	"context"
	"time"

	"errand/core"
	"errand/store/pg"
)

const (
	insertUserLink = `
INSERT INTO user_links (user_id, created_at, expires_at, hash)
VALUES (nullif(@user_id::bigint, 0), @now, @expires_at, @hash)`
	findUserLink = `
SELECT coalesce(user_id, 0) AS user_id
FROM user_links
WHERE hash = @hash AND expires_at > @now`
	lockUserLink      = findUserLink + ` FOR UPDATE`
	deleteSignUpLinks = `DELETE FROM user_links WHERE user_id IS NULL`
	deleteLinksOfUser = `DELETE FROM user_links WHERE user_id = @user_id`
	deleteUserLinks   = `DELETE FROM user_links WHERE expires_at <= @now`
)

// UserLink is a link that works once, within an hour, or as an invitation within a week.
type UserLink struct {
	UserID int64 // the user whose password it sets; 0: it signs the first user up
}

// MakeSignUpLink makes the link that the first user signs up with; hash is its SHA-256. It replaces earlier ones. It
// reports whether it made one, which it does only while there are no users.
func (s *Store) MakeSignUpLink(ctx context.Context, hash []byte) (made bool, err error) {
	err = s.inTx(ctx, func(t *tx) error {
		if _, err := pg.Exec(ctx, t, deleteSignUpLinks, pg.Args{}); err != nil {
			return err
		}
		found, err := pg.QueryOne[struct{ Found bool }](ctx, t, findAnyUser, pg.Args{})
		if made = err == nil && !found.Found; !made {
			return err
		}
		return t.insertLink(ctx, 0, hash, core.PasswordLinkLife)
	})
	return made, err
}

// MakePasswordLink makes the link that lets a user set a new password.
func (s *Store) MakePasswordLink(ctx context.Context, userID int64, hash []byte) error {
	return s.inTx(ctx, func(t *tx) error { return t.insertLink(ctx, userID, hash, core.PasswordLinkLife) })
}

// endUserLinks ends the links that let somebody choose the password of a user: they may be in the wrong hands.
func (t *tx) endUserLinks(ctx context.Context, userID int64) error {
	_, err := pg.Exec(ctx, t, deleteLinksOfUser, pg.Args{"user_id": userID})
	return err
}

func (t *tx) insertLink(ctx context.Context, userID int64, hash []byte, life time.Duration) error {
	_, err := pg.Exec(ctx, t, insertUserLink, pg.Args{"user_id": userID, "now": t.Now, "expires_at": t.Now.Add(life), "hash": hash})
	return err
}

// FindUserLink returns a link that still works, or not_found.
func (s *Store) FindUserLink(ctx context.Context, hash []byte) (UserLink, error) {
	return pg.QueryOne[UserLink](ctx, s.db.Main, findUserLink, pg.Args{"hash": hash, "now": s.Now()})
}

// SignUp makes the first user, a site admin, and uses the link up. A link that no longer works is not_found, and so is any
// link once there are users.
func (s *Store) SignUp(ctx context.Context, linkHash []byte, n NewUser) (user User, err error) {
	n.SiteAdmin = true
	err = s.inTx(ctx, func(t *tx) error {
		link, err := pg.QueryOne[UserLink](ctx, t, lockUserLink, pg.Args{"hash": linkHash, "now": t.Now})
		if err != nil {
			return err
		}
		found, err := pg.QueryOne[struct{ Found bool }](ctx, t, findAnyUser, pg.Args{})
		if err != nil {
			return err
		}
		if link.UserID != 0 || found.Found {
			return core.NewError(core.NotFound)
		}
		if _, err := pg.Exec(ctx, t, deleteSignUpLinks, pg.Args{}); err != nil {
			return err
		}
		user, err = t.createUser(ctx, core.NewSystemActor("sign-up"), n)
		return err
	})
	return user, err
}

// ResetPassword sets the password of the link's user and uses up all links of that user. Sessions end as after any new
// password. A link that no longer works, or belongs to a disabled user, is not_found.
func (s *Store) ResetPassword(ctx context.Context, linkHash []byte, hash core.Secret) (user User, err error) {
	err = s.inTx(ctx, func(t *tx) error {
		link, err := pg.QueryOne[UserLink](ctx, t, lockUserLink, pg.Args{"hash": linkHash, "now": t.Now})
		if err != nil {
			return err
		}
		user, err = pg.QueryOne[User](ctx, t, lockUser, pg.Args{"id": link.UserID}) // no user has the id 0
		if err == nil && !user.DisabledAt.IsZero() {
			err = core.NewError(core.NotFound)
		}
		if err != nil {
			return err
		}
		user, err = t.updateUser(ctx, core.NewUserActor(user.ID, user.EmailAddress, core.Rights{}), user.ID, UserChange{PasswordHash: hash})
		return err
	})
	return user, err
}
