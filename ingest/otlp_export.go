package ingest

import (
	"bytes"
	"errors"
	"fmt"

	"errand/core"
	"errand/envelope"
	"errand/otlp"
)

// exportWork makes events from an export. They can take far more memory than its body, because each has a copy of the parts that
// they share. Such an export waits for memory first, and then for its turn among the large bodies, however small its body is.
type exportWork struct {
	*Ingest
	request         *httpRequest
	project         *knownProject
	signal          otlp.Signal
	statesEncoding  bool // its header names the encoding of the body
	hasCountedItems bool // its spans or log records are counted
	hasLargeMemory  bool // memory for large events is reserved
	hasTurn         bool
	events          []pendingEvent
	rejected        rejection
}

// manyEvents is the error when an export's events take more memory than the HTTP request has reserved.
type manyEvents struct{ bytes int }

func (e manyEvents) Error() string {
	return fmt.Sprintf("ingest: the events of an export take %d bytes", e.bytes)
}

// prepareExport opens the body and prepares its events. It reserves memory between two readings: a request that waits for memory
// must hold neither an unpacker nor a turn, because the requests that have memory wait for these.
func (w *exportWork) prepareExport() error {
	err := w.openBody(w.request, false, w.prepareAll)
	many, ok := errors.AsType[manyEvents](err)
	if !ok {
		return err
	}
	if err := w.request.large.reserveMemory(w.request.waiting, int64(many.bytes)); err != nil {
		return err
	}
	w.hasLargeMemory, w.hasTurn = true, len(*w.request.body) > largeBody
	return w.openBody(w.request, false, w.prepareAll)
}

// prepareAll prepares the events in a body's text.
func (w *exportWork) prepareAll(text []byte) error {
	if !w.statesEncoding && !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		w.request.export.encoding = otlp.Protobuf
	}
	var batch *otlp.Batch
	if err := catchPanic(func() (err error) {
		batch, err = otlp.ReadRequest(text, w.request.export.encoding, w.signal)
		return err
	}); err != nil {
		return err
	}
	if !w.hasCountedItems {
		w.hasCountedItems = true
		w.metrics.countExported(w.signal, batch.Items)
	}
	if batch.Len() > 0 {
		if err := w.quotas.checkQuota(w.project, w.request.receivedAt); err != nil {
			w.metrics.countLost(err, batch.Len())
			return err
		}
	}
	if batch.EventBytes() > largeBody {
		switch {
		case !w.hasLargeMemory:
			return manyEvents{batch.EventBytes()}
		case !w.hasTurn && len(text) <= largeBody: // a larger text has its turn already
			w.hasTurn = true
			return errOutgrown // openBody then takes the turn
		}
	}
	w.prepareEvents(batch)
	return nil
}

func (w *exportWork) prepareEvents(batch *otlp.Batch) {
	if batch.Failure != nil {
		w.refusalLog.logRefusal(w.request, core.InvalidRequest, batch.Failure)
	}
	w.rejected.addRejected(batch.Rejected, batch.Reason)
	w.metrics.events[eventInvalid].Add(float64(batch.Rejected))
	hints := w.hintsFor(w.request)
	for n := range batch.Len() {
		event, err := w.prepareEvent(w.request, w.project,
			func(d *envelope.Decoder) (*core.Event, error) { return batch.DecodeEvent(n, d, hints) })
		switch {
		case err != nil:
			w.metrics.countLost(err, 1)
			w.noteRefusedEvent(w.request, err)
			w.rejected.addRejected(1, core.AsError(err).Code.Info().Meaning)
		case w.captured.hasOutermost(event.captured):
			w.metrics.events[eventDuplicate].Inc()
		default:
			w.events = append(w.events, event)
		}
	}
}
