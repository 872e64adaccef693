package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"errand/core"
)

// CallOptions are the command-line flags of every operation: `errand call`.
type CallOptions struct {
	Client `embed:"" group:"Connection"`

	JSON    bool     `name:"json" group:"Output" help:"Print JSON, as the server sent it: the default unless on a terminal."`
	Table   bool     `name:"table" group:"Output" help:"Print a table, or lines, for people: the default on a terminal."`
	Columns []string `name:"columns" group:"Output" placeholder:"NAME" help:"Columns of the table, such as id,title,claim.holder."`
	Input   string   `name:"input" group:"Input" placeholder:"FILE" help:"JSON object with the input, or - for stdin; flags are added."`
	File    string   `name:"file" group:"Input" placeholder:"FILE" help:"File to send, or - for stdin, where the body is one."`

	Streams Streams `kong:"-"`
	OwnURL  string  `kong:"-"` // ERRAND_URL, whatever --url is
}

// Streams are where a command reads and writes.
type Streams struct {
	In         io.Reader
	Out, Notes io.Writer // the answer; remarks about it
	IsTerminal bool      // Out is a terminal
	Width      int       // of the terminal in columns; 0 for the usual width
}

// Call makes the call and prints its answer. An error from the server keeps its words and hint; a mistake in the
// command line has an ExitCode.
func (in *OperationInput) Call(ctx context.Context, o CallOptions) error {
	o.URL = in.takeURL(o)
	if err := o.check(); err != nil {
		return usageError(err.Error())
	}
	response, body, err := in.fetch(ctx, o)
	if err != nil {
		return err
	}
	if response.StatusCode == core.HeldHTTPStatus && in.op.IsHoldable() {
		fmt.Fprintln(o.Streams.Notes, "Nothing is changed yet: an admin must approve the request first.")
	}
	return o.printAnswer(body)
}

// fetch makes the call and returns its answer.
func (in *OperationInput) fetch(ctx context.Context, o CallOptions) (*http.Response, []byte, error) {
	args, err := in.readArgs(o)
	if err != nil {
		return nil, nil, err
	}
	file, size, err := in.openFile(o)
	if err != nil {
		return nil, nil, err
	}
	if file != nil {
		defer file.Close()
	}
	atMost := callAtMost
	if in.op.Body != nil {
		atMost = uploadAtMost
	}
	ctx, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	r, err := o.newRequest(ctx, in.op, args, fileBody{in.mediaType(), file})
	if err != nil {
		return nil, nil, err
	}
	if file != nil {
		r.ContentLength = size
	}
	response, body, err := o.fetchAnswer(r)
	if isUnknownRoute := err != nil && len(in.op.PathParams()) == 0 && codeOf(body) == core.NotFound; isUnknownRoute {
		err = fmt.Errorf("the server at %s has no operation %s: is it older than this errand?", o.URL, in.op.Name)
	}
	return response, body, err
}

// readArgs returns the arguments of the call, those of --input first, and names missing ones.
func (in *OperationInput) readArgs(o CallOptions) (map[string]any, error) {
	args := map[string]any{}
	if o.Input != "" {
		text, err := o.readInput()
		if err != nil {
			return nil, usageError("--input: " + err.Error())
		}
		if args, err = core.DecodeArgs(text); err != nil {
			return nil, usageError("--input: " + strings.TrimPrefix(err.Error(), string(core.InvalidRequest)+"; : "))
		}
		if err := in.op.RenameAliases(args); err != nil {
			return nil, usageError("--input: " + strings.TrimPrefix(err.Error(), string(core.InvalidRequest)+"; "))
		}
	}
	if err := in.readFlags(args); err != nil {
		return nil, err
	}
	var missing []string
	for _, field := range in.op.Fields() {
		if _, given := args[field.Name]; field.Required && !given {
			missing = append(missing, "--"+flagNameOf(field))
		}
	}
	if missing != nil {
		return nil, usageError("missing: " + strings.Join(missing, ", "))
	}
	return args, nil
}

// readInput reads the file of --input.
func (o CallOptions) readInput() ([]byte, error) {
	file := io.NopCloser(o.Streams.In)
	if o.Input != "-" {
		opened, err := os.Open(o.Input)
		if err != nil {
			return nil, err
		}
		file = opened
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, answerAtMost+1))
	if err == nil && len(text) > answerAtMost {
		err = fmt.Errorf("it has more than %d MB", answerAtMost>>20)
	}
	return text, err
}

// mediaType returns the type of the operation's body if that is a file.
func (in *OperationInput) mediaType() string {
	if in.op.Body == nil {
		return ""
	}
	return in.op.Body.Types[0]
}

// openFile opens the file for the body of the call, and returns its size in bytes; -1 when unknown. The file is nil
// for an operation without one.
func (in *OperationInput) openFile(o CallOptions) (file io.ReadCloser, size int64, err error) {
	switch {
	case in.op.Body == nil && o.File != "":
		return nil, 0, usageError("--file: " + in.op.Name + " takes no file")
	case in.op.Body == nil:
		return nil, 0, nil
	case o.File == "":
		return nil, 0, usageError("missing: --file")
	case o.File == "-" && o.Input == "-":
		return nil, 0, usageError("--file and --input cannot both be standard input")
	case o.File == "-":
		return io.NopCloser(o.Streams.In), -1, nil
	}
	opened, err := os.Open(o.File)
	if err != nil {
		return nil, 0, usageError("--file: " + err.Error())
	}
	info, err := opened.Stat()
	switch {
	case err == nil && info.IsDir():
		err = errors.New(o.File + " is a folder")
	case err == nil && info.Size() > in.op.Body.MaxBytes:
		err = fmt.Errorf("%s has more than %d MB", o.File, in.op.Body.MaxBytes>>20)
	}
	if err != nil {
		_ = opened.Close() // nothing was written to it
		return nil, 0, usageError("--file: " + err.Error())
	}
	return opened, info.Size(), nil
}

// printAnswer prints the body of an answer: for people on a terminal, otherwise unchanged.
func (o CallOptions) printAnswer(body []byte) error {
	asTable := (o.Streams.IsTerminal || o.Table || len(o.Columns) > 0) && !o.JSON
	switch {
	case len(body) == 0 && asTable:
		_, err := fmt.Fprintln(o.Streams.Out, "Done.")
		return err
	case len(body) == 0:
		return nil
	case asTable:
		return o.printTable(body)
	}
	text := string(body)
	if o.Streams.IsTerminal {
		text = escapeHidden(text)
	}
	_, err := fmt.Fprintln(o.Streams.Out, strings.TrimSuffix(text, "\n"))
	return err
}

// ListOperations prints the operations by the scope that they need.
func ListOperations(w io.Writer) error {
	var text strings.Builder
	var scopes []core.Scope
	for _, op := range core.V1.Operations() {
		if !slices.Contains(scopes, op.Scope) {
			scopes = append(scopes, op.Scope)
		}
	}
	titles := map[core.Scope]string{core.AnyToken: "any token", core.NoToken: "no token, but the key of a DSN as ERRAND_TOKEN"}
	for _, scope := range scopes {
		title := titles[scope]
		if title == "" {
			title = "a token with " + string(scope)
		}
		fmt.Fprintf(&text, "With %s:\n", title)
		for _, op := range core.V1.Operations() {
			if op.Scope == scope {
				fmt.Fprintf(&text, "  %-20s %s\n", op.Name, op.Summary)
			}
		}
		text.WriteByte('\n')
	}
	text.WriteString("errand call OPERATION --help lists its flags.\n")
	_, err := io.WriteString(w, text.String())
	return err
}
