package envelope

import (
	"strings"

	"errand/core"
)

// readEventID reads the id of the event.
func (d *decoder) readEventID() string {
	if d.skipNull() {
		return ""
	}
	id, ok := parseEventID(string(d.readWord()))
	if !ok && d.json.err == nil {
		d.addProblem("", "not 32 hexadecimal digits; a new id was made")
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

// eventLevels maps levels of SDKs and logging libraries to the levels of an event.
var eventLevels = map[string]string{
	"fatal": "fatal", "critical": "fatal", "50": "fatal", "alert": "fatal", "emergency": "fatal",
	"error": "error", "40": "error",
	"warning": "warning", "warn": "warning", "30": "warning",
	"info": "info", "log": "info", "20": "info", "notice": "info",
	"debug": "debug", "10": "debug", "trace": "debug",
}

// readLevel reads the level; an unknown one is an error.
func (d *decoder) readLevel() string {
	text := string(d.readWord())
	if text == "" {
		return ""
	}
	level := eventLevels[text]
	if level == "" {
		level = eventLevels[strings.ToLower(text)]
	}
	if level == "" {
		level = "error"
		d.addProblem("", "an unknown level, taken as error")
	}
	return level
}

// maxPlatform is the longest name of a platform (the specification's project field).
const maxPlatform = 32

// readPlatform reads the name of a platform: lower-case letters, digits, dots and dashes. It returns "" for "other".
func (d *decoder) readPlatform() string {
	text := string(d.readWord())
	for i := range len(text) {
		if !isPlatformByte(text[i]) {
			text = strings.Map(toPlatformRune, text)
			break
		}
	}
	if len(text) > maxPlatform {
		d.addProblem("", "too long for the name of a platform")
		return ""
	}
	if text == "other" {
		return ""
	}
	return text
}

func isPlatformByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '.' || c == '-' || c == '_'
}

func toPlatformRune(char rune) rune {
	if 'A' <= char && char <= 'Z' {
		char += 'a' - 'A'
	}
	if char > 'z' || !isPlatformByte(byte(char)) {
		return -1
	}
	return char
}

// readSDK reads the client's name and version. Old clients send one text.
func (d *decoder) readSDK() core.SDK {
	var sdk core.SDK
	if d.json.peekByte() == '"' {
		sdk.Name, sdk.Version = splitSDK(d.json.readString())
		return sdk
	}
	if !d.requireObject() {
		return sdk
	}
	for m := d.json.enterObject(); m.nextMember(); {
		switch m.key {
		case "name":
			sdk.Name = d.readWord()
		case "version":
			sdk.Version = d.readWord()
		case "settings":
			d.readSDKSettings()
		default:
			d.json.skipValue()
		}
	}
	return sdk
}

// readSDKSettings reads whether the SDK wants the server to fill in the user's address, the newer form of "{{auto}}".
func (d *decoder) readSDKSettings() {
	if !d.requireObject() {
		return
	}
	for m := d.json.enterObject(); m.nextMember(); {
		if m.key == "infer_ip" {
			d.inferIP = string(d.readWord())
		} else {
			d.json.skipValue()
		}
	}
}

// splitSDK splits "name/version".
func splitSDK(text string) (name, version core.Untrusted) {
	n, v, _ := strings.Cut(strings.TrimSpace(text), "/")
	return core.Untrusted(n), core.Untrusted(v)
}
