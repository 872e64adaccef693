package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"errand/core"
)

// fileBody is the file that is the body of a call.
type fileBody struct {
	mediaType string
	text      io.Reader
}

// newRequest makes the request of a call. Each argument goes into the path, the query or the body, as the operation defines it.
func (c Client) newRequest(ctx context.Context, op *core.Operation, args map[string]any, file fileBody) (*http.Request, error) {
	path, rest := op.Path(), map[string]any{}
	for name, value := range args {
		if !slices.Contains(op.PathParams(), name) {
			rest[name] = value
			continue
		}
		text := textOf(value)
		if text == "" || text == "." || text == ".." { // it would make another path
			return nil, usageError(fmt.Sprintf("%s must be a value of its own, not %q", name, text))
		}
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(text))
	}
	address, body := strings.TrimRight(c.URL, "/")+path, file.text
	mediaType := file.mediaType
	if op.HasBody() {
		text, err := json.Marshal(rest)
		if err != nil {
			return nil, err
		}
		body, mediaType = bytes.NewReader(text), "application/json"
	} else if query := queryOf(rest); query != "" {
		address += "?" + query
	}
	r, err := http.NewRequestWithContext(ctx, op.Method(), address, body)
	if err != nil {
		return nil, err
	}
	if mediaType != "" {
		r.Header.Set("Content-Type", mediaType)
	}
	if op.Scope == core.NoToken { // the operation has its own key, a DSN's
		r.Header.Set("X-Service-Key", c.Token.Reveal())
	} else {
		r.Header.Set("Authorization", "Bearer "+c.Token.Reveal())
	}
	return r, nil
}

// queryOf writes arguments as a query. The name is repeated for each item of a list.
func queryOf(args map[string]any) string {
	query := url.Values{}
	for name, value := range args {
		list, isList := value.([]any)
		if !isList && value != nil {
			list = []any{value}
		}
		for _, item := range list {
			query.Add(name, textOf(item))
		}
	}
	return query.Encode()
}

// textOf writes an argument for a path or a query.
func textOf(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	case json.RawMessage:
		return string(value)
	}
	return fmt.Sprint(value)
}

// sendRequest sends a request and reads the answer. The response is nil when none arrived.
func (c Client) sendRequest(r *http.Request) (*http.Response, []byte, error) {
	// A redirect would turn it into a GET, so it is reported instead of followed.
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, answerAtMost+1))
	if err == nil && len(answer) > answerAtMost {
		err = fmt.Errorf("it has more than %d MB", answerAtMost>>20)
	}
	if err != nil {
		return response, nil, fmt.Errorf("reading the answer: %w", err)
	}
	return response, answer, nil
}

// errNotErrand is the error for an answer from something else than Errand.
var errNotErrand = errors.New("it does not look like Errand's API")

// fetchAnswer sends a request and reads its answer. Anything but success is an error in words.
func (c Client) fetchAnswer(r *http.Request) (response *http.Response, body []byte, err error) {
	response, body, err = c.sendRequest(r)
	where := *r.URL
	where.RawQuery = "" // it may contain much
	switch {
	case response == nil:
		return nil, nil, err // its text names the method and the URL
	case err != nil:
		return response, nil, fmt.Errorf("%s: %w", &where, err)
	}
	if to := response.Header.Get("Location"); response.StatusCode >= http.StatusMultipleChoices && to != "" {
		return response, body, fmt.Errorf("%s answered %s: set ERRAND_URL to where it leads, %s", &where, response.Status, to)
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		text := fmt.Sprintf("%s answered %s%s", &where, response.Status, explainFailure(response.Header, body))
		return response, body, newRefusedCall(response, body, text)
	}
	if len(body) > 0 && !json.Valid(body) {
		return response, body, fmt.Errorf("%s answered %s: %w", &where, response.Status, errNotErrand)
	}
	return response, body, nil
}
