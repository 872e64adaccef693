package ingest

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"errand/core"
	"errand/wire"
)

// writeRefusal answers with an error and returns its status. SDKs read the reason from detail and X-Sentry-Error, other clients
// from error.
func (i *Ingest) writeRefusal(r *httpRequest, err error) int {
	failure := core.AsError(err)
	h := r.w.Header()
	requestID := h.Get("X-Request-Id")
	switch failure.Code {
	case core.Internal:
		i.log.ErrorContext(r.Context(), "ingest failed", "request_id", requestID, "error", err)
		failure = core.NewError(core.Internal).With("request_id", requestID)
	case core.Unavailable:
		i.reporter.noteRefusal(core.At(i.clock()))
	case core.Quota:
		i.setRateLimit(r)
		h.Set("Retry-After", secondsToRetry(i.clock()))
	case core.TooManyIssues:
		i.setIssueLimit(r)
	case core.PayloadTooLarge:
		i.unpackers.large.chargeTooLarge(r.whoSends(), r.bytesRead > 0)
	}
	i.refusalLog.logRefusal(r, failure.Code, err)
	if r.speaksSentry && r.export == nil {
		failure = explainToSDK(h, failure)
	}
	switch {
	case r.endpoint == endpointNotices:
		return i.refuseNotice(r, failure)
	case r.export != nil:
		r.refuseExport(failure)
	default:
		wire.WriteError(r.w, failure)
	}
	return failure.Status()
}

// setRateLimit tells an SDK to send no errors for a while.
func (i *Ingest) setRateLimit(r *httpRequest) {
	r.w.Header().Set("X-Sentry-Rate-Limits", secondsToRetry(i.clock())+":default;error;security:project:daily_quota")
}

// setIssueLimit tells clients of the native way, and exporters, to wait until the next hour: without it an exporter retries for a minute,
// and others' exceptions wait behind. An SDK is told to wait for nothing, because it would hold back events of known issues too;
// without the header it would do so for a minute.
func (i *Ingest) setIssueLimit(r *httpRequest) {
	if r.endpoint == endpointNative || r.export != nil {
		r.w.Header().Set("Retry-After", strconv.Itoa(int((untilNextHour(i.clock())+time.Second-1)/time.Second)))
	} else if r.speaksSentry {
		r.w.Header().Set("X-Sentry-Rate-Limits", "0:error:project:too_many_issues")
	}
}

// explainToSDK describes the error in the words of the Sentry protocol: the first reason as detail, the others as causes.
func explainToSDK(h http.Header, failure *core.Error) *core.Error {
	reasons := reasonsOf(failure)
	h.Set("X-Sentry-Error", headerText(strings.Join(reasons, "; ")))
	explained := core.NewError(failure.Code).With("detail", reasons[0])
	explained.Details, explained.RetryAfter = failure.Details, failure.RetryAfter
	for name, value := range failure.Extra {
		explained.With(name, value)
	}
	if len(reasons) > 1 {
		explained.With("causes", reasons[1:])
	}
	return explained
}

// reasonsOf returns sentences that say what is wrong. Their readers may see no other member of the error.
func reasonsOf(failure *core.Error) []string {
	switch busy := (busyError{}); {
	case len(failure.Details) > 0:
		return formatDetails(failure.Details)
	case errors.As(failure, &busy):
		return withMessage(failure, "The server is busy: send it again in a few seconds.")
	case failure.Code == core.Unauthorized:
		return []string{"The DSN's key is missing, unknown or revoked, or it is of another project."}
	case failure.Code == core.PayloadTooLarge:
		return []string{fmt.Sprintf("The body is larger than %v bytes.", failure.Extra["max_bytes"])}
	case failure.Code == core.UnsupportedMedia:
		supported, _ := failure.Extra["supported"].([]string)
		return []string{"The Content-Type must be " + strings.Join(supported, " or ") + "."}
	case failure.Code == core.Limit:
		return []string{fmt.Sprintf("Wait as long as Retry-After says: %v.", failure.Extra["message"])}
	}
	return withMessage(failure, failure.Code.Info().Meaning)
}

// withMessage returns the reason of a refusal, followed by its message if it has one.
func withMessage(failure *core.Error, reason string) []string {
	if message, ok := failure.Extra["message"].(string); ok {
		return []string{reason, message}
	}
	return []string{reason}
}

func formatDetails(details []core.Detail) []string {
	list := make([]string, len(details))
	for i, d := range details {
		list[i] = strings.TrimPrefix(d.Path+": "+d.Message, ": ")
	}
	return list
}

// noteRefusedEvent adds to a successful answer why an event of the request was not taken.
func (i *Ingest) noteRefusedEvent(r *httpRequest, err error) {
	failure := core.AsError(err)
	switch failure.Code {
	case core.Internal:
		i.log.ErrorContext(r.Context(), "an event failed", "request_id", r.w.Header().Get("X-Request-Id"), "error", err)
	case core.Unavailable:
		i.reporter.noteRefusal(core.At(i.clock()))
	case core.Quota:
		i.setRateLimit(r)
	}
	r.noteProblem("event", failure.Code.Info().Meaning)
}

// maxHeaderText is the longest text in X-Sentry-Error, in bytes.
const maxHeaderText = 500

// headerText shortens and cleans a text for use in a header.
func headerText(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
	return text[:min(len(text), maxHeaderText)]
}
