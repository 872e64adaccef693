package tools

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"errand/core"
)

func (t *Tools) sendTestEvent(ctx context.Context, call core.Call, in core.SetupAppInput) (core.DataAndNext[core.TestEvent], error) {
	project, err := t.store.FindSetupApp(ctx, call.Actor, in.Project)
	if err != nil {
		return core.DataAndNext[core.TestEvent]{}, err
	}
	if t.takeEvent == nil {
		return core.DataAndNext[core.TestEvent]{}, core.NewError(core.Unavailable)
	}
	if err := t.nameProgram(ctx, call); err != nil {
		return core.DataAndNext[core.TestEvent]{}, err
	}
	receipt, err := t.takeTestEvent(ctx, project)
	if err != nil {
		return core.DataAndNext[core.TestEvent]{}, err
	}
	return adviseNext(core.TestEvent{EventID: receipt.EventID, ID: receipt.ID, IssueID: receipt.IssueID},
		core.NextCall{Tool: core.GetSetupProgress.Operation.Name, Arguments: core.Arguments{}}), nil
}

// endTestEventAtMost bounds the recording of a test event's outcome, which continues after the caller is gone.
const endTestEventAtMost = 5 * time.Second

// takeTestEvent takes the test event in, unless there is one. Of several calls at the same time, one takes it in.
func (t *Tools) takeTestEvent(ctx context.Context, project int64) (receipt core.Receipt, err error) {
	var random [32]byte
	if _, err := io.ReadFull(t.random, random[:]); err != nil {
		return receipt, fmt.Errorf("tools: random source: %w", err)
	}
	id, err := t.store.BeginTestEvent(ctx, project, [16]byte(random[:16]))
	if err != nil {
		return receipt, err
	}
	event, err := json.Marshal(makeTestEvent(id, hex.EncodeToString(random[16:])))
	if err == nil {
		receipt, err = t.takeEvent(ctx, project, event)
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTestEventAtMost)
	defer cancel()
	if endErr := t.store.EndTestEvent(ending, project, err == nil); err == nil {
		err = endErr
	}
	return receipt, err
}

// makeTestEvent makes a native event. Its group cannot be guessed: no client's event falls into the test issue, and
// the test event into no issue of the app.
func makeTestEvent(id [16]byte, group string) map[string]any {
	return map[string]any{
		"event_id": hex.EncodeToString(id[:]), "level": "info", "platform": "other",
		"message":     "Test event of the setup: events of this app arrive.",
		"tags":        map[string]string{"service.test": strconv.FormatBool(true)},
		"fingerprint": []string{"errand-setup-test", group},
		"sdk":         map[string]string{"name": "errand.setup", "version": "1"},
	}
}
