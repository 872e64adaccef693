package prompts

import (
	"fmt"
	"slices"
	"strings"

	"errand/core"
)

// How much of an event's text appears where it is first named. The rest follows later, if it fits.
const (
	maxHeadline   = 400  // bytes of a message or an exception's value
	maxWholeText  = 4000 // bytes of it where it appears alone
	maxExceptions = 8
	maxName       = 160 // bytes of a name, such as a function's or a release's
	maxPath       = 300
)

// describeEvent says what happened: the exceptions, and the frames of the app.
func (b *brief) describeEvent() []piece {
	if b.Event == nil {
		return []piece{
			makePiece("No event of it is stored any more: the counts are all there is."),
			makeFenced(cleanText(string(b.Issue.Title), maxHeadline) + "\n" + b.describePlace()),
		}
	}
	e := &b.Event.Event
	stacks := collectStacks(e)
	pieces := []piece{
		makePiece(b.describeChoice(stacks)),
		makeFenced(b.describeExceptions() + b.describePlace()).orShort(b.shortenTitle()).named("message"),
	}
	if b.isSmall() {
		slices.Reverse(pieces)
	}
	pieces = append(pieces, describeUnmapped(e)...)
	return append(pieces, stacks.listFrames(e, b.Budget*core.WeightPerToken)...)
}

// shortenTitle returns the part of the title that always fits.
func (b *brief) shortenTitle() string {
	const heaviest = 160 // as core.WeighText counts
	for limit := maxName; ; limit /= 2 {
		if text := cleanLine(string(b.Issue.Title), limit); core.WeighText(text) <= heaviest || limit < maxName/8 {
			return text
		}
	}
}

// describeChoice says which event is shown, and why.
func (b *brief) describeChoice(stacks *stacks) string {
	text := fmt.Sprintf("Event %d of %s, ", b.Event.ID, minuteOf(b.Event.Timestamp))
	switch {
	case b.NewerEvents == 1:
		text += "the latest with frames of the app: 1 newer event has none."
	case b.NewerEvents > 1:
		text += fmt.Sprintf("the latest with frames of the app: %d newer events have none.", b.NewerEvents)
	default:
		text += "the latest received."
	}
	switch {
	case stacks.isEmpty():
		text += " It has no stack trace."
	case !stacks.hasApp:
		text += " It has no frame of the app: those of libraries are shown."
	}
	for _, x := range b.Event.Event.Exceptions {
		if x.Mechanism != nil && x.Mechanism.Handled != nil {
			if !*x.Mechanism.Handled {
				text += " Nothing in the app caught it."
			} else {
				text += " The app caught and reported it."
			}
			break
		}
	}
	return text
}

// describeExceptions names the exceptions, or the message of an event without any.
func (b *brief) describeExceptions() string {
	e := &b.Event.Event
	var text strings.Builder
	for i, x := range e.Exceptions {
		if i == maxExceptions {
			fmt.Fprintf(&text, "(%s more)\n", countThings(len(e.Exceptions)-i, "cause"))
			break
		}
		if i > 0 {
			text.WriteString("caused by ")
		}
		text.WriteString(headlineOf(&x, maxHeadline/min(i+1, 2)) + "\n")
	}
	if message := string(e.Message); message != "" && !isRestated(e) {
		text.WriteString(cleanText(message, maxHeadline) + "\n")
	}
	if text.Len() == 0 {
		text.WriteString(cleanText(string(b.Issue.Title), maxHeadline) + "\n")
	}
	return text.String()
}

// isRestated reports whether an exception already has the text of the message.
func isRestated(e *core.Event) bool {
	for i := range e.Exceptions {
		if e.Exceptions[i].Value == e.Message || e.Exceptions[i].RestatesMessage(e.Message) {
			return true
		}
	}
	return false
}

func headlineOf(x *core.Exception, limit int) string {
	kind, value := cleanLine(string(x.Type), maxName), strings.TrimRight(cleanText(string(x.Value), limit), "\n")
	switch {
	case kind == "":
		return value
	case value == "":
		return kind
	default:
		return kind + ": " + value
	}
}

// describePlace says where the error happened, apart from the stack.
func (b *brief) describePlace() string {
	facts := []fact{{"in", b.Issue.Culprit}, {"platform", core.Untrusted(b.Issue.Platform)}}
	if b.Event != nil {
		e := &b.Event.Event
		facts = []fact{
			{"in", b.Issue.Culprit}, {"transaction", e.Transaction}, {"release", e.Release}, {"environment", e.Environment},
			{"platform", core.Untrusted(e.Platform)}, {"logger", e.Logger}, {"server", e.ServerName},
		}
		if e.Transaction == b.Issue.Culprit {
			facts[0].text = ""
		}
	}
	return joinFacts(facts)
}

// fact is a text with a word for its kind.
type fact struct {
	word string
	text core.Untrusted
}

// joinFacts writes the facts that are present on one line; empty when there are none.
func joinFacts(facts []fact) string {
	var list []string
	for _, f := range facts {
		if f.text != "" {
			list = append(list, f.word+" "+cleanLine(string(f.text), maxName))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return strings.Join(list, " · ") + "\n"
}

// listUnmapped returns the reasons why frames were not mapped. Each is listed once, with the first frame that it concerns.
func listUnmapped(e *core.Event) (reasons []core.Untrusted, frames int) {
	seen := map[string]bool{}
	for _, p := range e.Problems {
		if !strings.HasPrefix(p.Reason, core.NotMapped) {
			continue
		}
		frames++
		if !seen[p.Reason] {
			seen[p.Reason] = true
			reasons = append(reasons, core.Untrusted(p.Path+": "+p.Reason))
		}
	}
	return reasons, frames
}

// describeUnmapped says that source maps are missing, and why.
func describeUnmapped(e *core.Event) []piece {
	reasons, frames := listUnmapped(e)
	if frames == 0 {
		return nil
	}
	var text strings.Builder
	for _, reason := range reasons {
		text.WriteString(cleanLine(string(reason), maxPath) + "\n")
	}
	return []piece{
		makePiece(fmt.Sprintf("Source map missing: %s of minified code could not be mapped to the source.", countThings(frames, "frame"))),
		makeFenced(text.String()).named("reason of missing source maps"),
	}
}
