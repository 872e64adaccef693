package main

import (
	"context"
	"fmt"
	"os"

	"errand/app"
)

// userCmd has the commands about people.
type userCmd struct {
	Create        userCreateCmd  `cmd:"" help:"Create a user, and print the new password unless one is given."`
	List          userListCmd    `cmd:"" help:"List all users, newest first."`
	ResetPassword userResetCmd   `cmd:"" name:"reset-password" help:"Reset the password of a user, and end all sessions of the user."`
	Disable       userDisableCmd `cmd:"" help:"Keep a user from signing in, and end all sessions of the user."`
	Enable        userEnableCmd  `cmd:"" help:"Let a user who was disabled sign in again."`
}

type userCreateCmd struct {
	app.Config `embed:""`

	Email     string `required:"" help:"The address with which the user signs in."`
	SiteAdmin bool   `help:"The user may do everything."`
	app.GivenPassword
}

func (c *userCreateCmd) Run(ctx context.Context) error {
	given, err := c.ReadPassword(os.Stdin)
	if err != nil {
		return err
	}
	password, err := app.CreateUser(ctx, &c.Config, app.NewUser{Email: c.Email, Password: given, SiteAdmin: c.SiteAdmin}, c.NewLog())
	if err == nil && given == "" {
		fmt.Println(password.Reveal())
	}
	return err
}

type userListCmd struct {
	app.Config `embed:""`
}

func (c *userListCmd) Run(ctx context.Context) error {
	users, err := app.ListUsers(ctx, &c.Config, c.NewLog())
	if err != nil {
		return err
	}
	return app.PrintUsers(os.Stdout, users)
}

type userResetCmd struct {
	app.Config `embed:""`
	app.GivenPassword

	User string `arg:"" help:"The address or the id, as errand user list shows them."`
}

func (c *userResetCmd) Run(ctx context.Context) error {
	given, err := c.ReadPassword(os.Stdin)
	if err != nil {
		return err
	}
	password, err := app.ResetPassword(ctx, &c.Config, c.User, given, c.NewLog())
	if err == nil && given == "" {
		fmt.Println(password.Reveal())
	}
	return err
}

type userDisableCmd struct {
	app.Config `embed:""`

	User string `arg:"" help:"The address or the id, as errand user list shows them."`
}

func (c *userDisableCmd) Run(ctx context.Context) error {
	return app.SetUserDisabled(ctx, &c.Config, c.User, true, c.NewLog())
}

type userEnableCmd struct {
	app.Config `embed:""`

	User string `arg:"" help:"The address or the id, as errand user list shows them."`
}

func (c *userEnableCmd) Run(ctx context.Context) error {
	return app.SetUserDisabled(ctx, &c.Config, c.User, false, c.NewLog())
}
