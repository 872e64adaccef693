package envelope

import (
	"strings"

	"errand/core"
)

// eventID reads the id of the event.
func (d *decoder) eventID() string {
	if d.null() {
		return ""
	}
	id, ok := parseEventID(string(d.word()))
	if !ok && d.err == nil {
		d.tell("", "not 32 hexadecimal digits; a new id was made")
	}
	return id
}

// parseEventID reads 32 hexadecimal digits, with or without the dashes of a UUID, in either case.
func parseEventID(text string) (string, bool) {
	if len(text) == 36 {
		text = strings.ReplaceAll(text, "-", "")
	}
	if len(text) != 32 {
		return "", false
	}
	for i := range len(text) {
		if hexDigit(text[i]) < 0 {
			return "", false
		}
	}
	return strings.ToLower(text), true
}

// levels maps what SDKs and logging libraries send to the levels of an event.
var levels = map[string]string{
	"fatal": "fatal", "critical": "fatal", "50": "fatal", "alert": "fatal", "emergency": "fatal",
	"error": "error", "40": "error",
	"warning": "warning", "warn": "warning", "30": "warning",
	"info": "info", "log": "info", "20": "info", "notice": "info",
	"debug": "debug", "10": "debug", "trace": "debug",
}

// level reads the level; an unknown one is an error.
func (d *decoder) level() string {
	text := string(d.word())
	if text == "" {
		return ""
	}
	level := levels[text]
	if level == "" {
		level = levels[strings.ToLower(text)]
	}
	if level == "" {
		level = "error"
		d.tell("", "an unknown level, taken as error")
	}
	return level
}

// maxPlatform is the longest name of a platform (the specification's project field).
const maxPlatform = 32

// platform reads the name of a platform: lower-case letters, digits, dots and dashes. There is none in "" or "other".
func (d *decoder) platform() string {
	text := string(d.word())
	for i := range len(text) {
		if !platformByte(text[i]) {
			text = strings.Map(platformRune, text)
			break
		}
	}
	if len(text) > maxPlatform {
		d.tell("", "too long for the name of a platform")
		return ""
	}
	if text == "other" {
		return ""
	}
	return text
}

func platformByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '.' || c == '-' || c == '_'
}

func platformRune(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		r += 'a' - 'A'
	}
	if r > 'z' || !platformByte(byte(r)) {
		return -1
	}
	return r
}

// sdk reads the client's name and version. Old clients send one text.
func (d *decoder) sdk() core.SDK {
	var sdk core.SDK
	if d.peek() == '"' {
		sdk.Name, sdk.Version = splitSDK(d.str())
		return sdk
	}
	if !d.isObject() {
		return sdk
	}
	for m := d.object(); m.next(); {
		switch m.key {
		case "name":
			sdk.Name = d.word()
		case "version":
			sdk.Version = d.word()
		case "settings":
			d.sdkSettings()
		default:
			d.skip()
		}
	}
	return sdk
}

// sdkSettings reads what the SDK was told about the user's address, the newer form of "{{auto}}".
func (d *decoder) sdkSettings() {
	if !d.isObject() {
		return
	}
	for m := d.object(); m.next(); {
		if m.key == "infer_ip" {
			d.inferIP = string(d.word())
		} else {
			d.skip()
		}
	}
}

// splitSDK splits "name/version".
func splitSDK(text string) (name, version core.Untrusted) {
	n, v, _ := strings.Cut(strings.TrimSpace(text), "/")
	return core.Untrusted(n), core.Untrusted(v)
}
