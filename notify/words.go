package notify

import (
	"fmt"
	"strings"
	"unicode"
)

const (
	// maxTitle is how many characters of an issue's title people see, as in the title itself (decisions 4).
	maxTitle = 200
	cutMark  = "…"
)

// headlines are what people read first. An event that is missing here shows its name.
var headlines = map[EventName]string{
	IssueNew:       "New issue",
	IssueRegressed: "Issue came back",
	IssueVerified:  "Fix verified",
	IssueSpike:     "Issue spikes",
	Ping:           "Test message from Errand",
}

// Headline says for people what happened, such as "New issue in Web shop".
func (m *Message) Headline() string {
	text, ok := headlines[m.Event]
	if !ok {
		text = string(m.Event)
	}
	if project := CleanLine(m.Project); project != "" && m.Issue != nil {
		text += " in " + project
	}
	return text
}

// TitleLine returns the issue's title as one line without hidden characters. It is still text of the
// monitored app: each format escapes it, and says whose it is.
func (m *Message) TitleLine() string {
	if m.Issue == nil {
		return ""
	}
	if title := CutText(CleanLine(string(m.Issue.Title)), maxTitle); title != "" {
		return title
	}
	return "(no title)"
}

// DescribeCounts returns how often the issue was seen, and how many users it affected, such as "seen 12 times, 3
// users affected, level error".
func (m *Message) DescribeCounts() string {
	if m.Issue == nil {
		return ""
	}
	return fmt.Sprintf("seen %s, %s affected, level %s, status %s", countNoun(m.Issue.TimesSeen, "time"),
		countNoun(m.Issue.UsersAffected, "user"), CleanLine(m.Issue.Level), m.Issue.Status)
}

func countNoun(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// CleanLine makes one line of a text: white space becomes a single space, and characters that are hidden or change
// the direction of writing are left out.
func CleanLine(text string) string {
	visible := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if isHidden(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return strings.Join(strings.Fields(visible), " ")
}

// isHidden reports whether a character cannot be seen: controls, formats such as zero-width and bidi marks and tags, and
// variation selectors, which can carry hidden text.
func isHidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Variation_Selector, unicode.Zl, unicode.Zp)
}

// CodeSpan returns a line as code in the markdown of chats and source controls, where nothing is formatted, linked or
// mentioned. Its backticks become apostrophes.
func CodeSpan(line string) string {
	return "`" + strings.ReplaceAll(line, "`", "'") + "`"
}

// CutText returns at most limit characters of a text; a text that was cut ends with "…".
func CutText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	count := 0
	end := 0 // the length that leaves room for the mark
	for i := range text {
		if count == limit-1 {
			end = i
		}
		if count == limit {
			return text[:end] + cutMark
		}
		count++
	}
	return text
}
