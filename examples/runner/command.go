package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

const (
	// endWithin is how long a command may take to end after a stop, before it is killed.
	endWithin = 10 * time.Second
	// keepOutput is how much of the end of a command's output is read.
	keepOutput = 64 << 10
	maxSaid    = 1000 // bytes of the last line, for a note
)

// fix is the result of a command: one of the two, as link_fix takes it.
type fix struct {
	Commit string `json:"commit,omitempty"`
	PRURL  string `json:"pr_url,omitempty"`
	Worker string `json:"worker,omitempty"` // that links it
}

// result is how a command ended.
type result struct {
	fix  *fix   // nil for none
	said string // the reason when there is none
}

var commitForm = regexp.MustCompile(`^[0-9a-fA-F]{7,64}$`)

// runCommand runs the command on a delivery: the words of the configuration, unchanged, without a shell. Text of the monitored
// app reaches it only on its standard input and in files, never as an argument.
func runCommand(ctx context.Context, words []string, d *delivery, errandURL string, out io.Writer) (result, error) {
	folder, err := os.MkdirTemp("", "errand-brief-")
	if err != nil {
		return result{}, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	markdown, detail := filepath.Join(folder, "brief.md"), filepath.Join(folder, "brief.json")
	err = errors.Join(os.WriteFile(markdown, []byte(d.Brief.Markdown), 0o600), os.WriteFile(detail, d.Brief.JSON, 0o600))
	if err != nil {
		return result{}, err
	}
	said := &tail{}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(d.Brief.Markdown), io.MultiWriter(said, out), out
	cmd.Env = append(withoutSecrets(os.Environ()), "ERRAND_URL="+errandURL, fmt.Sprintf("ERRAND_ISSUE_ID=%d", d.Issue.ID),
		"ERRAND_EVENT="+d.Event, "ERRAND_BRIEF_FILE="+markdown, "ERRAND_BRIEF_JSON_FILE="+detail)
	cmd.WaitDelay = endWithin
	stopTogether(cmd)
	err = cmd.Run()
	if ctx.Err() != nil {
		return result{}, context.Cause(ctx)
	}
	found := readResult(said.text)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit): // its output does not matter then
		return result{said: strings.TrimSpace(fmt.Sprintf("the command ended with %s. %s", exit.ProcessState, found.said))}, nil
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return result{}, err
	}
	return found, nil
}

// withoutSecrets returns the environment without the variables that only the runner needs.
func withoutSecrets(environment []string) (rest []string) {
	for _, variable := range environment {
		if name, _, _ := strings.Cut(variable, "="); name != "ERRAND_TOKEN" && name != "ERRAND_WEBHOOK_SECRET" {
			rest = append(rest, variable)
		}
	}
	return rest
}

// readResult reads the last line that a command printed.
func readResult(output []byte) result {
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(output), "")), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	switch {
	case commitForm.MatchString(last):
		return result{fix: &fix{Commit: last}}
	case (strings.HasPrefix(last, "https://") || strings.HasPrefix(last, "http://")) && !strings.ContainsAny(last, " \t"):
		return result{fix: &fix{PRURL: last}}
	case last == "":
		return result{said: "the command named no fix"}
	}
	if len(last) > maxSaid {
		last = strings.ToValidUTF8(last[:maxSaid], "")
	}
	return result{said: last}
}

// tail keeps the end of the output that is written to it.
type tail struct{ text []byte }

// Write keeps the end of the bytes.
func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	if over := len(t.text) - keepOutput; over > 0 {
		t.text = bytes.Clone(t.text[over:])
	}
	return len(p), nil
}
