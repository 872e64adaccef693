package envelope

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"errand/core"
)

// ReportItem is the type of an item that is a browser's report, for DecodeReport.
const ReportItem = "raw_security"

// SplitReports splits the body of the security endpoint, which receives the reports of browsers: one report, or a list in the
// form of the Reporting API. Violations of a policy are events; the rest of the list is dropped. It is an error when the body is
// neither; the text may be sent to the client.
func SplitReports(body []byte) (Envelope, error) {
	json := scanner{text: cleanPayload(body)}
	var env Envelope
	switch json.peekByte() {
	case '{':
		env.addReport(json.readRaw())
	case '[':
		for e := json.enterArray(); e.nextElement(); {
			if len(env.Items) == maxItems {
				return env, errors.New("there are more than " + strconv.Itoa(maxItems) + " reports")
			}
			env.addReport(json.readRaw())
		}
	default:
		return env, errors.New("the report is neither a JSON object nor a list of them")
	}
	if !json.isAtEnd() && json.err == nil {
		json.failWith("more text behind the report")
	}
	return env, json.err
}

// addReport adds a report as an item: an event, unless it is one of the Reporting API about something else.
func (env *Envelope) addReport(text string) {
	item := Item{Type: ReportItem, Kind: Event, Payload: []byte(text)}
	json := scanner{text: text}
	if json.peekByte() == '{' {
		for m := json.enterObject(); m.nextMember(); {
			if m.key == "type" && json.readStringOr("") != cspViolation {
				item.Kind = Dropped
			} else if m.key != "type" {
				json.skipValue()
			}
		}
	}
	env.Items = append(env.Items, item)
}

// cspViolation is the only type of report in the Reporting API that is an event.
const cspViolation = "csp-violation"

// DecodeReport is Decode for a browser's report: of its Content-Security-Policy, in the form of report-uri or of the Reporting
// API, or of the older Expect-CT, Expect-Staple and public key pins.
func (d *Decoder) DecodeReport(payload []byte, h Hints) (*core.Event, error) {
	d.Reset()
	return d.decoder.decodeReport(cleanPayload(payload), h)
}

func (d *decoder) decodeReport(text string, hints Hints) (*core.Event, error) {
	d.json.text = text
	if d.json.peekByte() != '{' {
		return nil, errors.New("the report is not a JSON object")
	}
	value := d.readValue()
	switch {
	case d.json.err != nil:
		return nil, d.json.err
	case !d.json.isAtEnd():
		return nil, errors.New("not valid JSON: more text behind the report")
	}
	event, browser := d.event, Browser{}
	if hints.Browser != nil {
		browser = *hints.Browser
	}
	event.Platform, d.inferIP = "javascript", "auto" // it comes from the browser of a user
	event.Release, event.Environment = trimHint(browser.Release), trimHint(browser.Environment)
	switch kind, found := kindOfReport(value); {
	case textOf(value.Get("type")) == cspViolation:
		d.setReporting(value, hints.ReceivedAt, &browser)
	case found:
		d.report = sentReport{kind, value}
	default:
		return nil, errors.New("the report is of none of the kinds that are taken: csp-report, csp-violation, expect-ct-report, " +
			"expect-staple-report, public key pins")
	}
	d.finishEvent(hints)
	switch {
	case event.Report == nil, event.Report.Subject == "" && event.Report.Kind == core.ReportCSP:
		return nil, errors.New("the report names no directive that was violated")
	case event.Report.Subject == "":
		return nil, errors.New("the report names no host")
	}
	if agent := trimHint(browser.UserAgent); agent != "" {
		if event.Request == nil {
			event.Request = new(core.Request)
		}
		setMember(&event.Request.Headers, "User-Agent", string(agent))
	}
	return event, nil
}

// trimHint cleans a text of the request for use in an event.
func trimHint(text string) core.Untrusted {
	return core.Untrusted(strings.TrimSpace(cleanPayload([]byte(text))))
}

// setReporting reads the members that the Reporting API puts around a report.
func (d *decoder) setReporting(value core.Value, received time.Time, browser *Browser) {
	d.report = sentReport{core.ReportCSP, value.Get("body")}
	if page := textOf(value.Get("url")); page != "" && reportField(d.report.value, "document_uri") == "" {
		d.event.Request = &core.Request{URL: core.Untrusted(page)}
		d.splitURL(d.event.Request)
	}
	if age, err := strconv.ParseUint(textOf(value.Get("age")), 10, 32); err == nil { // in milliseconds
		d.sentAt = received.Add(-time.Duration(age) * time.Millisecond)
	}
	if named := textOf(value.Get("user_agent")); named != "" {
		browser.UserAgent = named
	}
}

// kindOfReport returns the kind of a report that only its members show, and whether they match any kind.
func kindOfReport(value core.Value) (kind core.ReportKind, found bool) {
	for kind, form := range reportForms {
		if form.wrapper != "" && value.Get(form.wrapper).Kind != core.Null {
			return core.ReportKind(kind), true
		}
	}
	for _, name := range [...]string{"effective-directive", "violated-directive", "blocked-uri"} {
		if value.Get(name).Kind != core.Null {
			return core.ReportCSP, true
		}
	}
	return core.ReportHPKP, value.Get("known-pins").Kind != core.Null
}
