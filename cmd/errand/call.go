package main

import (
	"context"
	"fmt"
	"os"
	"reflect"

	"github.com/alecthomas/kong"

	"errand/client"
)

// callCmd has a subcommand for each operation, made from the operation's input.
type callCmd struct {
	client.CallOptions `embed:""`

	List listFlag `help:"List the operations, and end."`
	kong.Plugins
}

// operationCmd is the subcommand of one operation.
type operationCmd struct {
	Input *client.OperationInput `kong:"-"`
	kong.Plugins
}

// Help is the text of --help below the first line.
func (c operationCmd) Help() string {
	if c.Input == nil {
		return ""
	}
	return c.Input.Describe()
}

// Run makes the call.
func (c *operationCmd) Run(ctx context.Context, options *client.CallOptions) error {
	options.Streams, options.OwnURL = client.NewStreams(), os.Getenv("ERRAND_URL")
	return c.Input.Call(ctx, *options)
}

// listFlag is the flag --list, which needs no operation.
type listFlag bool

// BeforeReset runs before kong looks for the operation.
func (listFlag) BeforeReset(parser *kong.Kong) error {
	if err := client.ListOperations(parser.Stdout); err != nil {
		return err
	}
	parser.Exit(0)
	return nil
}

// nextCmd is the operation next_issue under a shorter name. It prints the brief.
type nextCmd struct {
	client.CallOptions `embed:""`

	Input *client.OperationInput `kong:"-"`
	kong.Plugins
}

const nextOperation = "next_issue"

// Help is the text of --help below the first line.
func (nextCmd) Help() string {
	return "Prints the brief in Markdown; --table prints the issue without it, --json the answer of the server.\n\n" +
		fmt.Sprintf("Exit codes: 0 with an issue; %d without one, and the output says why; 1 when the server refused or was not reached. ",
			client.ExitNoIssue) +
		fmt.Sprintf("A mistake in the command line is %d too, and prints nothing but the error.", client.ExitUsage)
}

func (c *nextCmd) Run(ctx context.Context) error {
	if c.Input == nil {
		return fmt.Errorf("this errand has no operation %s", nextOperation)
	}
	c.Streams = client.NewStreams()
	return c.Input.PrintNext(ctx, c.CallOptions)
}

// newCommands returns the commands for a command line. call has its subcommands, one for each operation, only when it
// is named, so that the help of errand stays short.
func newCommands(args []string) *cli {
	commands := &cli{}
	if input, ok := client.NewOperationInput(nextOperation); ok {
		commands.Next.Input, commands.Next.Plugins = input, kong.Plugins{input.Flags()}
	}
	if isCall(args) {
		commands.Call.Plugins = kong.Plugins{newOperationCommands()}
	}
	return commands
}

// newOperationCommands returns a pointer to a struct with an operationCmd for each operation.
func newOperationCommands() any {
	var fields []reflect.StructField
	var values []operationCmd
	for i, name := range client.ListOperationNames() {
		input, _ := client.NewOperationInput(name) // the name comes from the list
		tag := fmt.Sprintf(`cmd:"" name:%q help:%q`, name, input.Summary())
		fields = append(fields, reflect.StructField{
			Name: fmt.Sprintf("Operation%d", i), Type: reflect.TypeFor[operationCmd](), Tag: reflect.StructTag(tag),
		})
		values = append(values, operationCmd{input, kong.Plugins{input.Flags()}})
	}
	operations := reflect.New(reflect.StructOf(fields))
	for i := range values {
		operations.Elem().Field(i).Set(reflect.ValueOf(values[i]))
	}
	return operations.Interface()
}

// isCall reports whether a command line calls an operation.
func isCall(args []string) bool { return len(args) > 0 && (args[0] == "call" || args[0] == "next") }
