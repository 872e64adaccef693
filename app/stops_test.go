package app

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"errand/testkit/logtext"
)

func TestPartsStopLastInFirstOut(t *testing.T) {
	t.Parallel()
	var order []string
	ending := stops{log: slog.New(slog.DiscardHandler)}
	for _, name := range []string{"the address", "the database", "the requests"} {
		ending.add(name, func(context.Context) error { order = append(order, name); return nil })
	}

	require.NoError(t, ending.runAll(t.Context()))

	require.Equal(t, []string{"the requests", "the database", "the address"}, order)
	require.NoError(t, ending.runAll(t.Context()), "there is nothing left")
}

func TestPartThatFailsToStopIsNamedAndKeepsNoOtherFromIt(t *testing.T) {
	t.Parallel()
	stopped, log := false, &bytes.Buffer{}
	ending := stops{log: slog.New(slog.NewTextHandler(log, nil))}
	ending.add("the address", func(context.Context) error { stopped = true; return nil })
	ending.add("the database", func(context.Context) error { return errors.New("it does not answer") })

	ending.runAllLogged(t.Context())

	require.True(t, stopped)
	require.Contains(t, log.String(), "stopping the database: it does not answer")
}

func TestPartThatTakesLongToStopIsNamedMeanwhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := &logtext.Text{}
		ending := stops{log: slog.New(slog.NewTextHandler(log, nil))}
		ending.add("the address", func(context.Context) error { return nil })
		ending.add("the jobs", func(context.Context) error {
			time.Sleep(longStop + time.Second)
			require.Contains(t, log.String(), `part="the jobs"`)
			return nil
		})

		require.NoError(t, ending.runAll(t.Context()))

		require.Contains(t, log.String(), "took=4s")
		require.NotContains(t, log.String(), "the address")
	})
}
