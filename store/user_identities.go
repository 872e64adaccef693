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
SELECT EXISTS (SELECT 1 FROM user_identities WHERE user_id = @user_id AND issuer = @issuer AND subject <> @subject) AS found`
	// insertIdentity keeps an existing identity of the user: the same person may have come a moment before.
	insertIdentity = `
INSERT INTO user_identities AS i (user_id, created_at, issuer, subject)
VALUES (@user_id, @now, @issuer, @subject)
ON CONFLICT (issuer, subject) DO UPDATE SET created_at = i.created_at WHERE i.user_id = excluded.user_id`
)

// ErrOtherIdentity says that the user with the address has another identity of the provider: the address may now belong to
// another person.
var ErrOtherIdentity = errors.New("store: the user has another identity of the provider")

var errBoundMeanwhile = errors.New("store: the identity was bound to another user meanwhile")

// SignInIdentity is a person's account at a provider of single sign-on.
type SignInIdentity struct {
	Issuer, Subject string
	EmailAddress    string // verified by the provider, in the form of core.ReadEmailAddress
	MayCreate       bool   // a new user is created if there is none
}

// FindOrBindUser returns the user with the identity. If there is none, it gives the identity to the user with its address.
// If that fails too, it creates a user when that is allowed, or returns not_found. If the address belongs to a
// user with another identity of the provider, it returns ErrOtherIdentity.
func (s *Store) FindOrBindUser(ctx context.Context, i SignInIdentity) (user User, err error) {
	for range 3 { // the same person may come several times in parallel: a later round finds the identity
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

func (t *tx) findOrBindUser(ctx context.Context, i SignInIdentity) (User, error) {
	user, err := pg.QueryOne[User](ctx, t, findUserByIdentity, pg.Args{"issuer": i.Issuer, "subject": i.Subject})
	if !core.HasCode(err, core.NotFound) {
		return user, err
	}
	user, err = pg.QueryOne[User](ctx, t, lockUserByEmail, pg.Args{"email_address": i.EmailAddress})
	switch {
	case err == nil && !user.DisabledAt.IsZero():
		return user, nil // a disabled user does not get the identity
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
