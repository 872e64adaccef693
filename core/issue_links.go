package core

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

var (
	// namedIssue is an issue as commits name it, "Errand-Issue: 42", and as people do, "#42".
	namedIssue = regexp.MustCompile(`^(?i:errand-issue: *)?#?([0-9]{1,16})$`)
	// linkPath is the path of an issue or an event below the public URL, on the web pages or in the API.
	linkPath = regexp.MustCompile(`^(?:/v1)?/(issues|events)/([0-9a-fA-F-]{1,36})(?:/.*)?$`)
)

// CutIssueName returns the id in a name such as "#42" or "Errand-Issue: 42". It leaves any other text, such as a URL, as it is.
func CutIssueName(text string) string {
	if named := namedIssue.FindStringSubmatch(strings.TrimSpace(text)); named != nil {
		return named[1]
	}
	return text
}

// Link is what a URL of an installation leads to: an issue, or an event. One of the two is set.
type Link struct {
	Issue int64
	Event EventRef
}

// ParseLink reads the URL of an issue or an event below the installation's public URL, such as https://errand.example/issues/42. For a
// public URL on the loopback interface, any loopback name will do. It reports false for anything else.
func ParseLink(text, baseURL string) (Link, bool) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return Link{}, false
	}
	base, err := url.Parse(baseURL)
	if err != nil || !isSameHost(u, base) {
		return Link{}, false
	}
	found := linkPath.FindStringSubmatch(strings.TrimPrefix(u.Path, strings.TrimRight(base.Path, "/")))
	if found == nil {
		return Link{}, false
	}
	if found[1] == "events" {
		event := EventRef(found[2])
		return Link{Event: event}, event.Check() == nil
	}
	id, err := strconv.ParseInt(found[2], 10, 64)
	return Link{Issue: id}, err == nil && id > 0 && id <= maxID
}

func isSameHost(a, b *url.URL) bool {
	if strings.EqualFold(a.Host, b.Host) {
		return true
	}
	return a.Port() == b.Port() && IsLoopbackHost(a.Hostname()) && IsLoopbackHost(b.Hostname())
}

// IsLoopbackHost reports whether a host, without a port, names the loopback interface.
func IsLoopbackHost(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// readIssueNames replaces the name of an issue, such as "#42" or the URL of its page, with its id, in every field that is the id of an
// issue, or a list of them.
func (r *Registry) readIssueNames(op *Operation, args map[string]any) (err error) {
	for i := range op.derive().input.fields {
		field := &op.derive().input.fields[i]
		value, given := args[field.Name]
		text, isText := value.(string)
		switch {
		case !given:
		case field.isIssue && isText:
			args[field.Name], err = r.readIssueName(field.Name, text)
		case field.isIssues:
			args[field.Name], err = r.readIssueList(field, coerceList(field.Schema, value))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readIssueName returns the id in the name of an issue, as a text. It leaves any other text as it is.
func (r *Registry) readIssueName(path, text string) (string, error) {
	if r.baseURL == nil || !strings.Contains(text, "://") {
		return CutIssueName(text), nil
	}
	link, _ := ParseLink(text, r.baseURL())
	if link.Issue == 0 {
		return "", RefuseField(path, "must be the id of an issue, or its URL such as %s/issues/42", r.baseURL())
	}
	return strconv.FormatInt(link.Issue, 10), nil
}

// readIssueList is readIssueName for the texts in a list.
func (r *Registry) readIssueList(field *Field, value any) (any, error) {
	list, isList := value.([]any)
	if !isList {
		return value, nil
	}
	for i := range list {
		text, isText := list[i].(string)
		if !isText {
			continue
		}
		id, err := r.readIssueName(fmt.Sprintf("%s.%d", field.Name, i), text)
		if err != nil {
			return nil, err
		}
		list[i] = id
	}
	return list, nil
}
