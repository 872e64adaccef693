package core

import (
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"unicode"
)

// Settings are the current values of what belongs to the whole installation rather than to one server (decisions 2).
// A new setting is a field here, a field of SettingTexts, and a line of installationSettings.
type Settings struct {
	BaseURL        string // for DSNs and links, without a slash at the end
	StoredPerIssue int64  // events kept per issue: the first 100 and the most recent
	RetentionDays  int    // older stored events are deleted; 0: never
	// IssueRetentionDays is how long an issue without stored events is kept after its last event and change; 0: for ever.
	IssueRetentionDays int
	RequireApproval    []HeldAction // actions held until a second admin approves them
	SimilarOff         bool         // find_similar answers similar_off
	NewIssuesPerHour   int64        // that a project may make; 0: any number
	SourceMapsMaxMB    int64        // for all source maps of a project together
	HoldsOutgoing      bool         // no webhook is called and no mail is sent; what is to be sent waits
}

// SettingTexts are the settings that a server was started with, each a flag and a variable of the environment. For an
// empty one the installation's value applies. HelpVariables fills in the help.
type SettingTexts struct {
	BaseURL            string `name:"base-url" env:"BASE_URL" help:"${about_base_url}"`
	StoredPerIssue     string `name:"stored-events-per-issue" env:"STORED_EVENTS_PER_ISSUE" placeholder:"1000" help:"${about_stored}"`
	RetentionDays      string `name:"retention-days" env:"RETENTION_DAYS" placeholder:"90" help:"${about_retention_days}"`
	IssueRetentionDays string `name:"issue-retention-days" env:"ISSUE_RETENTION_DAYS" placeholder:"0" help:"${about_issue_retention_days}"`
	RequireApproval    string `name:"require-approval" env:"REQUIRE_APPROVAL" placeholder:"none" help:"${about_require_approval}"`
	Similar            string `name:"similar" env:"SIMILAR" placeholder:"on" help:"${about_similar}"`
	NewIssuesPerHour   string `name:"new-issues-per-hour" env:"NEW_ISSUES_PER_HOUR" placeholder:"1000" help:"${about_new_issues}"`
	SourceMapsMaxMB    string `name:"source-maps-max-mb" env:"SOURCE_MAPS_MAX_MB" placeholder:"2000" help:"${about_source_maps_max_mb}"`
	Outgoing           string `name:"outgoing" env:"OUTGOING" placeholder:"on" help:"${about_outgoing}"`
}

// HelpVariables are the values for ${name} in the help.
func HelpVariables() map[string]string {
	return map[string]string{
		"about_base_url":       "Public URL, for DSNs and links; by default http:// and the listen address. Belongs to the installation.",
		"about_stored":         "Stored events kept per issue: the first 100 and the most recent; at least 200. Belongs to the installation.",
		"about_retention_days": "Stored events older than this many days are deleted; 0: never. Belongs to the installation.",
		"about_issue_retention_days": "Issues without stored events are deleted this many days after their last event and change; 0: never. " +
			"Belongs to the installation.",
		"about_require_approval": "Actions that wait for a second admin: a comma list of " + ListHeldActions() +
			", or none. Belongs to the installation.",
		"about_similar":    "on: find_similar finds similar issues; off: it answers similar_off. Belongs to the installation.",
		"about_new_issues": "New issues that a project may make in an hour; 0: any number. Belongs to the installation.",
		"about_source_maps_max_mb": "MB (2^20 bytes) that the source maps of a project may have together, " +
			"each content counted once. Belongs to the installation.",
		"about_outgoing": "off: no webhook is called and no mail is sent, as in a restored copy; what is to be sent waits. " +
			"Belongs to the installation.",
	}
}

// ByName returns the settings that are set, by the names of their variables.
func (t SettingTexts) ByName() map[string]string {
	texts := map[string]string{}
	for field, value := range reflect.ValueOf(t).Fields() {
		if text := strings.TrimSpace(value.String()); text != "" {
			texts[field.Tag.Get("env")] = text
		}
	}
	return texts
}

// Setting is a setting of the installation.
type Setting struct {
	Name    string // of the variable
	Default string // empty: each server has its own value
	// read checks a text that is not empty, and returns its one stored form.
	read func(text string, into *Settings) (string, error)
}

var installationSettings = []Setting{
	{"BASE_URL", "", readBaseURL},
	{"STORED_EVENTS_PER_ISSUE", strconv.Itoa(DefaultStoredPerIssue), readStoredPerIssue},
	{"RETENTION_DAYS", "90", readRetentionDays},
	{"ISSUE_RETENTION_DAYS", "0", readIssueRetentionDays},
	{"REQUIRE_APPROVAL", noActions, readRequireApproval},
	{"SIMILAR", on, readSimilar},
	{"NEW_ISSUES_PER_HOUR", "1000", readNewIssuesPerHour},
	{"SOURCE_MAPS_MAX_MB", "2000", readSourceMapsMaxMB},
	{"OUTGOING", on, readOutgoing},
}

// InstallationSettings returns all settings of the installation, in the order of display.
func InstallationSettings() []Setting { return installationSettings }

// ReadSettings reads the settings from texts by name. A missing one has its default. Unknown names come from a newer
// version and are ignored.
func ReadSettings(texts map[string]string) (Settings, error) {
	var all Settings
	for _, setting := range installationSettings {
		text := texts[setting.Name]
		if text == "" {
			text = setting.Default
		}
		if text == "" {
			continue
		}
		if _, err := setting.read(text, &all); err != nil {
			return Settings{}, err
		}
	}
	return all, nil
}

// NormalizeText returns the text in its stored form, or an error that names the variable.
func (s Setting) NormalizeText(text string) (string, error) { return s.read(text, &Settings{}) }

// Bounds of the settings.
const (
	DefaultStoredPerIssue = 1000
	MinStoredPerIssue     = 200
	maxRetentionDays      = 3650
	maxNewIssues          = 1_000_000
	maxSourceMapsMB       = 1 << 30 // a petabyte
)

// noActions is an explicitly empty list.
const noActions = "none"

func readBaseURL(text string, into *Settings) (string, error) {
	base, err := url.Parse(text)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.User != nil ||
		base.RawQuery != "" || base.Fragment != "" {
		return "", errors.New("BASE_URL must be http://host[:port] or https://host[:port]") // it may contain a password, so it is not repeated
	}
	if base.Hostname() == "" { // http://:8080 has only a port
		return "", errors.New("BASE_URL must name a host")
	}
	if strings.Trim(base.Path, "/") != "" {
		return "", fmt.Errorf("BASE_URL must have no path, because a DSN has none: %q", text)
	}
	if strings.ContainsFunc(base.Host, func(r rune) bool { return strings.ContainsRune("\"'<>\\^`{|}", r) || !unicode.IsGraphic(r) }) {
		return "", errors.New("BASE_URL must name a host of letters, digits, dots and hyphens")
	}
	into.BaseURL = base.Scheme + "://" + base.Host
	return into.BaseURL, nil
}

func readStoredPerIssue(text string, into *Settings) (string, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < MinStoredPerIssue {
		return "", fmt.Errorf("STORED_EVENTS_PER_ISSUE must be a whole number, at least %d: %q", MinStoredPerIssue, text)
	}
	into.StoredPerIssue = n
	return strconv.FormatInt(n, 10), nil
}

func readRetentionDays(text string, into *Settings) (stored string, err error) {
	into.RetentionDays, err = readDays("RETENTION_DAYS", text)
	return strconv.Itoa(into.RetentionDays), err
}

func readIssueRetentionDays(text string, into *Settings) (stored string, err error) {
	into.IssueRetentionDays, err = readDays("ISSUE_RETENTION_DAYS", text)
	return strconv.Itoa(into.IssueRetentionDays), err
}

// readDays reads after how many days something is deleted.
func readDays(name, text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > maxRetentionDays {
		return 0, fmt.Errorf("%s must be a whole number from 1 to %d, or 0 for never: %q", name, maxRetentionDays, text)
	}
	return n, nil
}

func readRequireApproval(text string, into *Settings) (string, error) {
	into.RequireApproval = nil
	if text = strings.ToLower(text); strings.TrimSpace(text) == noActions {
		return noActions, nil
	}
	var words []string
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
			into.RequireApproval = append(into.RequireApproval, HeldAction(word))
		}
	}
	if err := CheckHeldActions(into.RequireApproval); err != nil {
		return "", fmt.Errorf("REQUIRE_APPROVAL: %w", err)
	}
	if words == nil {
		return noActions, nil
	}
	return strings.Join(words, ","), nil
}

// The values of a setting that is a switch.
const (
	on  = "on"
	off = "off"
)

// readSwitch reads on or off.
func readSwitch(name, text string) (stored string, isOff bool, err error) {
	if text = strings.ToLower(strings.TrimSpace(text)); text != on && text != off {
		return "", false, fmt.Errorf("%s must be on or off: %q", name, text)
	}
	return text, text == off, nil
}

func readSimilar(text string, into *Settings) (stored string, err error) {
	stored, into.SimilarOff, err = readSwitch("SIMILAR", text)
	return stored, err
}

func readOutgoing(text string, into *Settings) (stored string, err error) {
	stored, into.HoldsOutgoing, err = readSwitch("OUTGOING", text)
	return stored, err
}

func readNewIssuesPerHour(text string, into *Settings) (string, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > maxNewIssues {
		return "", fmt.Errorf("NEW_ISSUES_PER_HOUR must be a whole number from 0 (any number) to %d: %q", maxNewIssues, text)
	}
	into.NewIssuesPerHour = n
	return strconv.FormatInt(n, 10), nil
}

func readSourceMapsMaxMB(text string, into *Settings) (string, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n > maxSourceMapsMB {
		return "", fmt.Errorf("SOURCE_MAPS_MAX_MB must be a whole number from 1 to %d: %q", maxSourceMapsMB, text)
	}
	into.SourceMapsMaxMB = n
	return strconv.FormatInt(n, 10), nil
}
