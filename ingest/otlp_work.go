package ingest

import (
	"bytes"
	"errors"
	"fmt"

	"errand/core"
	"errand/envelope"
	"errand/otlp"
)

// exportWork makes events of an export request. They can take far more than its body, as each has a copy of what they share: a
// request of which that is true waits for memory first, and then for its turn among the large bodies, however small it is.
type exportWork struct {
	*Ingest
	q        *request
	project  *project
	signal   otlp.Signal
	typed    bool // the request says in which encoding it is
	counted  bool // its spans or log records are
	leased   bool // the memory of large events
	inTurn   bool
	entries  []entry
	rejected rejection
}

// manyEvents is the failure of work whose events take more memory than the request has.
type manyEvents struct{ bytes int }

func (e manyEvents) Error() string {
	return fmt.Sprintf("ingest: the events of an export take %d bytes", e.bytes)
}

// run opens the body and prepares its events. The memory is asked for between two readings, as nobody may wait for some while
// he holds an unpacker or a turn, for which those who hold memory wait.
func (w *exportWork) run() error {
	err := w.open(w.q, false, w.prepareAll)
	many, ok := errors.AsType[manyEvents](err)
	if !ok {
		return err
	}
	if err := w.q.large.grow(w.q.patience, int64(many.bytes)); err != nil {
		return err
	}
	w.leased, w.inTurn = true, len(*w.q.body) > largeBody
	return w.open(w.q, false, w.prepareAll)
}

// prepareAll prepares the events in a body's text.
func (w *exportWork) prepareAll(text []byte) error {
	if !w.typed && !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		w.q.export.encoding = otlp.Protobuf
	}
	var batch *otlp.Batch
	if err := guard(func() (err error) { batch, err = otlp.ReadRequest(text, w.q.export.encoding, w.signal); return err }); err != nil {
		return err
	}
	if !w.counted {
		w.counted = true
		w.metrics.exported(w.signal, batch.Items)
	}
	if batch.Len() > 0 {
		if err := w.quotas.check(w.project, w.q.received); err != nil {
			w.metrics.lost(err, batch.Len())
			return err
		}
	}
	if batch.EventBytes() > largeBody {
		switch {
		case !w.leased:
			return manyEvents{batch.EventBytes()}
		case !w.inTurn && len(text) <= largeBody: // a larger text has its turn
			w.inTurn = true
			return errOutgrown // upon which open takes the turn
		}
	}
	w.prepareEvents(batch)
	return nil
}

func (w *exportWork) prepareEvents(batch *otlp.Batch) {
	if batch.Failure != nil {
		w.refusals.log(w.q, core.InvalidRequest, batch.Failure)
	}
	w.rejected.add(batch.Rejected, batch.Reason)
	w.metrics.events[eventInvalid].Add(float64(batch.Rejected))
	hints := w.hints(w.q)
	for n := range batch.Len() {
		e, err := w.prepare(w.q, w.project, func(d *envelope.Decoder) (*core.Event, error) { return batch.DecodeEvent(n, d, hints) })
		switch {
		case err == nil && w.captured.has(e.captured):
			w.metrics.events[eventDuplicate].Inc()
			continue
		case err == nil:
			w.entries = append(w.entries, e)
			continue
		}
		w.metrics.lost(err, 1)
		w.tell(w.q, err)
		w.rejected.add(1, core.AsError(err).Code.Info().Meaning)
	}
}
