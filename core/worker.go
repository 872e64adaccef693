package core

import "errors"

// Worker names one of several who share a token, such as the sub-agents of a person's agent. Token and worker hold a
// claim together (decisions 5).
type Worker string

// JSONSchema is a text.
func (Worker) JSONSchema() Schema { return Schema{"type": "string"} }

// Check refuses a name that cannot be shown.
func (w Worker) Check() error {
	if w == "" {
		return nil
	}
	if err := CheckName("worker", string(w)); err != nil {
		return errors.New(AsError(err).Details[0].Message)
	}
	return nil
}

// As returns the actor as the named worker.
func (a Actor) As(worker Worker) Actor {
	a.Worker = string(worker)
	return a
}
