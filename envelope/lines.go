package envelope

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"errand/core"
)

// The caps of texts that name something (decisions 3): one line each, in characters. Lists show them, filters compare them, and
// they are in indexes, where an entry has room for about 2,700 bytes.
const (
	maxName  = 200 // a type, a tag's key and value
	maxLabel = 64  // a dist, a level
)

// limitLine cuts a text that names something.
func (l *limiter) limitLine(name string, text *core.Untrusted, most int) {
	*text = core.Untrusted(l.cutLine(name, string(*text), most))
	l.limitText(name, text)
}

// limitName cuts the name of a release or an environment as core.OneLine does, because the names of deploys are cut in that way.
func (l *limiter) limitName(name string, text *core.Untrusted, most int) {
	*text = core.Untrusted(core.OneLine(l.cutLine(name, strings.TrimSpace(string(*text)), most), most))
	l.limitText(name, text)
}

// walkTags cuts the keys and values of tags. When cutting makes keys equal, the last one counts.
func (l *limiter) walkTags() {
	tags, keysCut := &l.event.Tags, false
	l.path.enterMember("tags")
	for i := range tags.Kids {
		tag := &tags.Kids[i]
		l.path = append(l.path, pathStep{name: tag.Key, index: i})
		key := l.cutLine("", tag.Key, maxName)
		keysCut = keysCut || key != tag.Key
		tag.Key = key
		if tag.Value.Kind == core.String {
			tag.Value.Text = l.cutLine("", tag.Value.Text, maxName)
		}
		l.path.leaveValue()
	}
	l.path.leaveValue()
	if keysCut {
		tags.Kids = lastOfEachKey(tags.Kids)
	}
	l.limitValue("tags", tags)
}

// cutLine returns the first line of a text, cut to a number of characters. Like core.OneLine it adds no mark at the cut. It looks
// only for \n, because the scrubber replaces every other line end.
func (l *limiter) cutLine(name, text string, most int) string {
	if strings.IndexByte(text, '\n') >= 0 {
		trimmed := strings.TrimSpace(text)
		if text, _, _ = strings.Cut(trimmed, "\n"); len(text) < len(trimmed) {
			l.addProblem(name, "cut to its first line")
		}
	}
	if len(text) <= most {
		return text
	}
	count := 0
	for i := range text {
		if count == most {
			l.addProblem(name, "cut from "+strconv.Itoa(utf8.RuneCountInString(text))+" characters to "+strconv.Itoa(most))
			return text[:i]
		}
		count++
	}
	return text
}
