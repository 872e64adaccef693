package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/alecthomas/kong"

	"errand/app"
	"errand/client"
)

// textErrors prints errors as text, even without a terminal.
var textErrors = &app.Config{LogFormat: "text"}

// servers are the commands whose standard error is a log.
var servers = []string{"serve", "migrate"}

// chooseErrors returns how a command prints its failure. Servers use the format of their log. Other commands print
// text unless LOG_FORMAT says JSON. The commands that call a running Errand have no LOG_FORMAT.
func chooseErrors(parsed *kong.Context) *app.Config {
	c, isConfigured := parsed.Selected().Target.Addr().Interface().(interface{ Configuration() *app.Config })
	if !isConfigured {
		return textErrors
	}
	config := c.Configuration()
	if config.LogFormat == "" && !slices.Contains(servers, parsed.Selected().Name) {
		return textErrors
	}
	return config
}

// reportMistake prints a mistake in a command line, and ends the process. It prints text; for servers it uses the
// format of their log, whose first line this is.
func reportMistake(parser *kong.Kong, args []string, err error) {
	code := exitCodeOf(err)
	if isCall(args) {
		code = client.ExitUsage
	}
	config := &app.Config{}
	_ = config.LogFormat.UnmarshalText([]byte(os.Getenv("LOG_FORMAT"))) // the flags are not parsed yet
	if isServer := len(args) > 0 && slices.Contains(servers, args[0]); isServer && !config.WritesText(os.Stderr) {
		config.PrintError(err)
		os.Exit(code)
	}
	var mistake *kong.ParseError
	if errors.As(err, &mistake) {
		if len(args) == 0 {
			parser.Stdout = os.Stderr
			_ = mistake.Context.PrintUsage(false) // the error says the same, more briefly
		}
		err = addHelpLine(mistake.Context, err)
	}
	textErrors.PrintError(err)
	os.Exit(code)
}

// addHelpLine adds to an error in a command line where the command is explained.
func addHelpLine(parsed *kong.Context, err error) error {
	command, line := "errand", "errand --help lists the commands."
	for _, part := range parsed.Path {
		if part.Command != nil {
			command = part.Command.FullPath()
			line = command + " --help lists its flags."
		}
	}
	if command == "errand call" {
		line = "errand call --list lists the operations."
	}
	return fmt.Errorf("%w\n%s", err, line)
}

// exitCodeOf returns the exit code of the process after an error of a command.
func exitCodeOf(err error) int {
	var coded interface{ ExitCode() int }
	if errors.As(err, &coded) {
		return coded.ExitCode()
	}
	return 1
}
