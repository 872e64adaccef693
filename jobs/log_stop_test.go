package jobs

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

// TestQueueThatIsToldToStopIsNoError makes the queue log what it does when its context is cancelled. Real failures are still logged.
func TestQueueThatIsToldToStopIsNoError(t *testing.T) {
	t.Parallel()
	running := t.Context()
	stopping, cancel := context.WithCancel(running)
	cancel()
	for name, c := range map[string]struct {
		ctx      context.Context
		text     string
		isLogged bool
	}{
		"told to stop":                    {stopping, "context canceled", false},
		"told to stop, with more words":   {stopping, "begin: context canceled", false},
		"an error of the database":        {stopping, "ERROR: division by zero (SQLSTATE 22012)", true},
		"cut off while the queue runs on": {running, "context canceled", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var text bytes.Buffer
			log := slog.New(warnings{slog.NewTextHandler(&text, nil), &core.LineLimit{Every: warnEvery}})

			log.ErrorContext(c.ctx, "cannot insert", "error", c.text)

			require.Equal(t, c.isLogged, text.Len() > 0)
		})
	}
}
