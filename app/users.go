package app

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"

	"errand/core"
	"errand/store"
)

// NewUser is a user to create by command.
type NewUser struct {
	Email     string
	Password  core.Secret // empty: make a new one
	SiteAdmin bool
}

// GivenPassword is the flag of the commands that set a password.
type GivenPassword struct {
	PasswordStdin bool `help:"Read the password from the first line of standard input; otherwise a new one is made and printed once."`
}

// maxPasswordLine bounds the reading: a password that is too long is refused for its length.
const maxPasswordLine = 1 << 10

// ReadPassword returns the password that the flag asks for; empty without the flag.
func (g GivenPassword) ReadPassword(in io.Reader) (core.Secret, error) {
	if !g.PasswordStdin {
		return "", nil
	}
	line, err := bufio.NewReader(io.LimitReader(in, maxPasswordLine)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return "", errors.New("--password-stdin: the standard input has no password")
	}
	return core.Secret(line), nil
}

// CreateUser creates a user as the bootstrap admin and returns the password: `errand user create`. Like the other
// commands about users, it also works beside a running server.
func CreateUser(ctx context.Context, c *Config, n NewUser, log *slog.Logger) (core.Secret, error) {
	return askConsole(ctx, c, log, func(o console) (core.Secret, error) {
		made := store.NewUser{EmailAddress: n.Email, SiteAdmin: n.SiteAdmin}
		return o.management.MakeUser(ctx, core.NewBootstrapActor(), made, n.Password)
	})
}

// ListUsers returns all users, newest first: `errand user list`.
func ListUsers(ctx context.Context, c *Config, log *slog.Logger) ([]store.User, error) {
	return askConsole(ctx, c, log, func(o console) ([]store.User, error) {
		return o.db.ListUsers(ctx)
	})
}

// ResetPassword replaces the password of a user, named by address, id or slug, and returns the new one: `errand user
// reset-password`. It makes a password if none is given. All sessions of the user end.
func ResetPassword(ctx context.Context, c *Config, user string, given core.Secret, log *slog.Logger) (core.Secret, error) {
	return askConsole(ctx, c, log, func(o console) (core.Secret, error) {
		return o.management.ResetPassword(ctx, core.NewBootstrapActor(), user, given)
	})
}

// SetUserDisabled keeps a user, named by address, id or slug, from signing in and ends all sessions: `errand user
// disable`. Or it lets the user sign in again: `errand user enable`.
func SetUserDisabled(ctx context.Context, c *Config, user string, disabled bool, log *slog.Logger) error {
	return atConsole(ctx, c, log, func(o console) error {
		return o.management.SetDisabled(ctx, core.NewBootstrapActor(), user, disabled)
	})
}

// PrintUsers writes users as a table whose lines begin with the id.
func PrintUsers(w io.Writer, users []store.User) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "ID\tEMAIL\tSITE ADMIN\tCREATED AT\tLAST SIGN-IN AT\tDISABLED AT")
	for _, user := range users {
		isAdmin := "no"
		if user.SiteAdmin {
			isAdmin = "yes"
		}
		_, _ = fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\n", user.ID, user.EmailAddress, isAdmin, printTime(user.CreatedAt),
			cmp.Or(printTime(user.LastLoggedInAt), "never"), cmp.Or(printTime(user.DisabledAt), "-"))
	}
	return table.Flush()
}
