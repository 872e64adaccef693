package client

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"errand/wire"
)

// noIssue is the end of `errand next` without an issue. The printed answer says why, so the error has no text.
type noIssue struct{}

func (noIssue) Error() string { return "no issue" }

// ExitCode is read by main. A script's loop can end on it.
func (noIssue) ExitCode() int { return ExitNoIssue }

// ExitNoIssue is the exit code of `errand next` when it got no issue.
const ExitNoIssue = 2

// ErrNoIssue is returned by PrintNext when there was no issue to take. The reason is already printed.
var ErrNoIssue error = noIssue{}

// briefMembers are the members of an answer of next_issue that hold the brief, as Markdown and as data.
var briefMembers = []string{"markdown", "json"}

// PrintNext calls next_issue and prints the Markdown of its brief, unless JSON, a table or columns are requested. A
// table shows only the issue. The error is ErrNoIssue when there was no issue to take.
func (in *OperationInput) PrintNext(ctx context.Context, o CallOptions) error {
	if err := o.check(); err != nil {
		return usageError(err.Error())
	}
	_, body, err := in.fetch(ctx, o)
	if err != nil {
		return err
	}
	decoded, _ := decodeOrdered(body) // checked by fetch
	answer, _ := decoded.(jsonObject)
	next, isObject := answer.findMember("data").(jsonObject)
	if !isObject {
		return fmt.Errorf("%s: %w", o.URL, errNotErrand)
	}
	if err := o.printNext(body, answer, next); err != nil {
		return err
	}
	if next.findMember("issue") == nil {
		return ErrNoIssue
	}
	return nil
}

// printNext prints the answer of next_issue.
func (o CallOptions) printNext(body []byte, answer, next jsonObject) error {
	text, _ := next.findMember("markdown").(string)
	switch {
	case o.JSON, len(o.Columns) > 0, text == "":
		return o.printAnswer(body)
	case o.Table:
		rest := slices.DeleteFunc(slices.Clone(next), func(m jsonMember) bool { return slices.Contains(briefMembers, m.name) })
		return o.printDecoded(answer.replaceMember("data", rest))
	}
	if o.Streams.IsTerminal {
		text = wire.RemoveHidden(text, '\n', '\t')
	}
	_, err := fmt.Fprintln(o.Streams.Out, strings.TrimSuffix(text, "\n"))
	return err
}
