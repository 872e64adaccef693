package prompts

import (
	"fmt"
	"strings"

	"errand/core"
)

// fenceWord begins the lines that mark text of others.
const fenceWord = "UNTRUSTED"

// writer is the author of a text.
type writer int

// The writers. Text of every writer but Errand stands in fences, and each of them has its own fences.
const (
	byErrand writer = iota
	byApp           // the monitored app and its users
	byAgents        // agents and people: notes, and names of tokens and workers, which may quote the app
)

// madeByAgents precedes the fences around their text.
const madeByAgents = "Written by others who work on issues:\n"

// piece is a part of a section. It is shown whole, in short, or not at all.
type piece struct {
	form
	short form // replaces it when room is short; empty for nothing
	by    writer
	what  string // its kind, such as "note", for the count of what is left out
}

// form is a text with its weight (core.WeighText).
type form struct {
	text   string // whole lines
	weight int
}

func newForm(text string) form { return form{text, core.WeighText(text)} }

// makePiece makes a piece from Errand's own text.
func makePiece(text string) piece { return piece{form: newForm(endLine(text))} }

// makeFenced makes a piece from cleaned text of the monitored app.
func makeFenced(text string) piece { return piece{form: newForm(fenceLines(endLine(text))), by: byApp} }

// makeOfAgents makes a piece from cleaned text of agents and people.
func makeOfAgents(text string) piece {
	return piece{form: newForm(fenceLines(endLine(text))), by: byAgents}
}

// orShort adds the form for when room is short.
func (p piece) orShort(short string) piece {
	short = endLine(short)
	if p.by != byErrand {
		short = fenceLines(short)
	}
	p.short = newForm(short)
	return p
}

// named sets the kind of the piece.
func (p piece) named(what string) piece {
	p.what = what
	return p
}

func endLine(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// section is a part of a brief with a heading.
type section struct {
	heading string
	pieces  []piece
	share   int // percent of the room that is reserved for it when earlier sections are long
}

// leftOut counts, by kind, the pieces that did not fit.
type leftOut struct {
	names  []string
	counts map[string]int
}

func (l *leftOut) add(what string) {
	if what == "" {
		return
	}
	if l.counts == nil {
		l.counts = map[string]int{}
	}
	if l.counts[what] == 0 {
		l.names = append(l.names, what)
	}
	l.counts[what]++
}

// list returns what was left out, such as "3 notes".
func (l *leftOut) list() []string {
	list := make([]string, len(l.names))
	for i, name := range l.names {
		list[i] = countThings(l.counts[name], name)
	}
	return list
}

func countThings[N int | int64](n N, name string) string {
	if n == 1 {
		return "1 " + name
	}
	noun, of, isOf := strings.Cut(name, " of ")
	if isOf {
		of = " of " + of
	}
	return fmt.Sprintf("%d %ss%s", n, noun, of)
}

// page is Markdown that is written within a bound, with core.WeighText as the measure.
type page struct {
	text    strings.Builder
	weight  int // of the text
	fence   fence
	open    writer // whose fence is open; byErrand for none
	leftOut leftOut
}

// fence marks text of the monitored app with an id that it cannot know.
type fence struct{ open, close form }

func newPage(fenceID string) page {
	return page{fence: fence{
		open:  newForm("```\n" + fenceWord + " " + fenceID + " BEGIN\n"),
		close: newForm(fenceWord + " " + fenceID + " END\n```\n"),
	}}
}

// begin returns the opening of a writer's fence.
func (f fence) begin(by writer) form {
	if by == byAgents {
		return newForm(madeByAgents + f.open.text)
	}
	return f.open
}

// weight returns how much the fence of a writer adds to a text.
func (f fence) weight(by writer) int {
	if by == byErrand {
		return 0
	}
	return f.begin(by).weight + f.close.weight
}

func (p *page) write(text string) { p.writeForm(newForm(text)) }

func (p *page) writeForm(f form) {
	p.text.WriteString(f.text)
	p.weight += f.weight
}

// headingLines returns the lines that begin the section.
func (s section) headingLines() form { return newForm("\n" + s.heading + "\n") }

// writeSections writes the sections within limit. Room that a section does not need is left to the sections after it.
func (p *page) writeSections(sections []section, limit int) {
	end := p.weight + limit
	for i, s := range sections {
		kept := 0
		for _, later := range sections[i+1:] {
			kept += min(later.weigh(p.fence), limit*later.share/100)
		}
		p.writeSection(s, end-kept)
	}
}

// weigh returns the weight of the whole section.
func (s section) weigh(f fence) int {
	weight, last := s.headingLines().weight, byErrand
	for _, piece := range s.pieces {
		if piece.by != last {
			weight += f.weight(piece.by)
		}
		last = piece.by
		weight += piece.weight
	}
	return weight
}

// writeSection writes the pieces that fit before the text weighs more than end. If no piece fits, it writes no heading.
func (p *page) writeSection(s section, end int) {
	heading := s.headingLines()
	for _, piece := range s.pieces {
		chosen, fits := p.chooseForm(piece, end-heading.weight)
		if !fits {
			p.leftOut.add(piece.what)
			continue
		}
		p.writeForm(heading)
		heading = form{}
		p.switchFence(piece.by)
		p.writeForm(chosen)
	}
	p.switchFence(byErrand)
}

// chooseForm returns the longest form of a piece that fits.
func (p *page) chooseForm(piece piece, end int) (form, bool) {
	room := end - p.weight
	if p.open != byErrand {
		room -= p.fence.close.weight
	}
	if piece.by != p.open {
		room -= p.fence.weight(piece.by)
	}
	for _, form := range []form{piece.form, piece.short} {
		if form.text != "" && form.weight <= room {
			return form, true
		}
	}
	return form{}, false
}

func (p *page) switchFence(to writer) {
	if to == p.open {
		return
	}
	if p.open != byErrand {
		p.writeForm(p.fence.close)
	}
	if to != byErrand {
		p.writeForm(p.fence.begin(to))
	}
	p.open = to
}
