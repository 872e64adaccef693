package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"
)

// maxBody bounds a webhook. A brief is at most 80 KB as markdown, and about as much again as JSON.
const maxBody = 4 << 20

// delivery is the content of a webhook (format service).
type delivery struct {
	ID    int64  `json:"delivery_id"`
	Event string `json:"event"`
	Issue *struct {
		ID    int64  `json:"id"`
		Trust string `json:"trust"`
	} `json:"issue"`
	Brief *brief `json:"brief"`
}

// brief is everything about an issue, as text and as data.
type brief struct {
	Markdown string          `json:"markdown"`
	JSON     json.RawMessage `json:"json"`
}

func readDelivery(body []byte) (*delivery, error) {
	var d delivery
	if err := json.Unmarshal(body, &d); err != nil {
		return nil, errors.New("the body is not the JSON of a delivery")
	}
	if d.ID <= 0 || d.Event != "ping" && (d.Issue == nil || d.Issue.ID <= 0 || d.Brief == nil) {
		return nil, errors.New("the body is not a delivery of the format service")
	}
	return &d, nil
}

// ServeHTTP receives a webhook. It stores a signed, new and wanted delivery, and answers before the work begins.
func (r *runner) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "only POST", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, maxBody))
	if err != nil {
		http.Error(w, "the body cannot be read, or is too large", http.StatusRequestEntityTooLarge)
		return
	}
	if err := checkSignature(request.Header.Get("X-Service-Signature"), r.config.secret, body, time.Now()); err != nil {
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	d, err := readDelivery(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	status, text := r.takeDelivery(d)
	r.log.Info("a delivery came", "delivery", d.ID, "event", d.Event, "answer", text)
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "60")
	}
	http.Error(w, text, status)
}

// takeDelivery decides about a delivery with a valid signature. It refuses a delivery that it cannot take now: Errand sends it
// again.
func (r *runner) takeDelivery(d *delivery) (status int, text string) {
	switch {
	case d.Event == "ping":
		return http.StatusOK, "pong"
	case !slices.Contains(r.config.events, d.Event):
		return http.StatusOK, "ignored: this event starts no work"
	case d.Issue.Trust != "high" && !r.config.takesLow:
		return http.StatusOK, "ignored: anybody can send events to this project"
	case r.inbox.knowsDelivery(d.ID):
		return http.StatusOK, "ignored: it came before"
	}
	r.mu.Lock() // so that a place that is free now stays free below
	defer r.mu.Unlock()
	if len(r.queue) == cap(r.queue) {
		return http.StatusServiceUnavailable, "no place is free: send it again later"
	}
	isNew, err := r.inbox.keepDelivery(d)
	if err != nil {
		r.log.Error("a delivery could not be saved", "delivery", d.ID, "error", err)
		return http.StatusInternalServerError, "it could not be written down"
	}
	if !isNew {
		return http.StatusOK, "ignored: it came before"
	}
	r.queue <- d
	return http.StatusAccepted, "taken"
}
