package store

import (
	"context"
	"errors"

	"errand/core"
	"errand/store/pg"
)

const (
	findUserByIdentity = selectUsers + `
JOIN user_identities i ON i.user_id = u.id
WHERE i.issuer = @issuer AND i.subject = @subject`
	lockUserByEmail   = findUserByEmail + ` FOR UPDATE`
	findOtherIdentity = `
SELECT EXISTS (SELECT FROM user_identities WHERE user_id = @user_id AND issuer = @issuer AND subject <> @subject) AS found`
	// insertIdentity leaves the user's own identity as it is: the same person may have come a moment before.
	insertIdentity = `
INSERT INTO user_identities AS i (user_id, created_at, issuer, subject)
VALUES (@user_id, @now, @issuer, @subject)
ON CONFLICT (issuer, subject) DO UPDATE SET created_at = i.created_at WHERE i.user_id = excluded.user_id`
)

// ErrOtherIdentity says that the user with the address has another identity of the provider: the address may have been given to
// another person.
var ErrOtherIdentity = errors.New("store: the user has another identity of the provider")

var errBoundMeanwhile = errors.New("store: the identity was bound to another user meanwhile")

// Identity is who a provider of single sign-on says that somebody is.
type Identity struct {
	Issuer, Subject string
	EmailAddress    string // verified by the provider, as core.ReadEmailAddress returned it
	MayCreate       bool   // makes a user when there is none
}

// FindOrBindUser returns the user with the identity; else the one with its address, who has the identity from now on; else a new one
// if that may be, else not_found. It returns ErrOtherIdentity for the address of a user who has another identity of the provider.
func (s *Store) FindOrBindUser(ctx context.Context, i Identity) (user User, err error) {
	for range 3 { // the same person may come several times at once: then the one that was made is found
		err = s.inTx(ctx, func(t *tx) error {
			user, err = t.findOrBindUser(ctx, i)
			return err
		})
		if !errors.Is(err, ErrEmailTaken) && !errors.Is(err, errBoundMeanwhile) {
			break
		}
	}
	return user, err
}

func (t *tx) findOrBindUser(ctx context.Context, i Identity) (User, error) {
	user, err := pg.QueryOne[User](ctx, t, findUserByIdentity, pg.Args{"issuer": i.Issuer, "subject": i.Subject})
	if !core.HasCode(err, core.NotFound) {
		return user, err
	}
	user, err = pg.QueryOne[User](ctx, t, lockUserByEmail, pg.Args{"email_address": i.EmailAddress})
	switch {
	case err == nil && !user.DisabledAt.IsZero():
		return user, nil // who does not get the identity by it
	case err == nil:
		args := pg.Args{"user_id": user.ID, "issuer": i.Issuer, "subject": i.Subject}
		other, err := pg.QueryOne[struct{ Found bool }](ctx, t, findOtherIdentity, args)
		if err != nil {
			return User{}, err
		}
		if other.Found {
			return User{}, ErrOtherIdentity
		}
	case core.HasCode(err, core.NotFound) && i.MayCreate:
		if user, err = t.createUser(ctx, core.NewSystemActor("single sign-on"), NewUser{EmailAddress: i.EmailAddress}); err != nil {
			return User{}, err
		}
	default:
		return User{}, err
	}
	bound, err := pg.Exec(ctx, t, insertIdentity, pg.Args{"user_id": user.ID, "now": t.Now, "issuer": i.Issuer, "subject": i.Subject})
	if err == nil && bound == 0 {
		err = errBoundMeanwhile
	}
	return user, err
}
