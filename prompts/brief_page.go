package prompts

import (
	"fmt"
	"strings"
)

// fenceWord begins the lines that mark text of others.
const fenceWord = "UNTRUSTED"

// writer says who wrote a text.
type writer int

// The writers. Text of all but Errand stands in fences, and each of them has fences of its own.
const (
	byErrand writer = iota
	byApp           // the monitored app and its users
	byAgents        // agents and people: notes, and the names of tokens and workers, which may quote the app
)

// madeByAgents stands before the fences of their text.
const madeByAgents = "Written by others who work on issues:\n"

// piece is a part of a section that is shown whole, in short, or not at all.
type piece struct {
	text  string // whole lines
	short string // instead of it where there is little room; empty for nothing
	by    writer
	what  string // it is one of, such as "note", where it is counted when it is left out
}

// makePiece makes a piece of text of Errand's own.
func makePiece(text string) piece { return piece{text: endLine(text)} }

// makeFenced makes a piece with text of the monitored app, which is clean.
func makeFenced(text string) piece { return piece{text: fenceLines(endLine(text)), by: byApp} }

// makeOfAgents makes a piece with text of agents and people, which is clean.
func makeOfAgents(text string) piece { return piece{text: fenceLines(endLine(text)), by: byAgents} }

// orShort adds what stands in its place where there is little room.
func (p piece) orShort(short string) piece {
	p.short = endLine(short)
	if p.by != byErrand {
		p.short = fenceLines(p.short)
	}
	return p
}

// named says of what it is one.
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
	share   int // of the room, in percent, what it has at least when the sections before it are long
}

// leftOut counts by name what had no room.
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

// page is Markdown that is written within a bound.
type page struct {
	text    strings.Builder
	fence   fence
	open    writer // whose fence is open; byErrand for none
	leftOut leftOut
}

// fence marks text of the monitored app with an id that it cannot know.
type fence struct{ id string }

func (f fence) open(by writer) string {
	begin := "```\n" + fenceWord + " " + f.id + " BEGIN\n"
	if by == byAgents {
		return madeByAgents + begin
	}
	return begin
}

func (f fence) close() string { return fenceWord + " " + f.id + " END\n```\n" }

// size returns how many bytes the fence of a writer has around a text.
func (f fence) size(by writer) int {
	if by == byErrand {
		return 0
	}
	return len(f.open(by)) + len(f.close())
}

// writeSections writes the sections into limit bytes. What a section does not need, those after it have.
func (p *page) writeSections(sections []section, limit int) {
	end := p.text.Len() + limit
	for i, s := range sections {
		kept := 0
		for _, later := range sections[i+1:] {
			kept += min(later.measure(p.fence), limit*later.share/100)
		}
		p.writeSection(s, end-kept)
	}
}

// measure returns how many bytes the whole section has.
func (s section) measure(f fence) int {
	size, last := len(s.heading)+2, byErrand
	for _, piece := range s.pieces {
		if piece.by != last {
			size += f.size(piece.by)
		}
		last = piece.by
		size += len(piece.text)
	}
	return size
}

// writeSection writes what fits until the text is end bytes long. A section of which nothing fits is not there.
func (p *page) writeSection(s section, end int) {
	hasHeading := s.heading == ""
	for _, piece := range s.pieces {
		text, fits := p.chooseForm(piece, end, !hasHeading, s.heading)
		if !fits {
			p.leftOut.add(piece.what)
			continue
		}
		if !hasHeading {
			p.text.WriteString("\n" + s.heading + "\n")
			hasHeading = true
		}
		p.switchFence(piece.by)
		p.text.WriteString(text)
	}
	p.switchFence(byErrand)
}

// chooseForm returns the longest form of a piece that fits.
func (p *page) chooseForm(piece piece, end int, needsHeading bool, heading string) (string, bool) {
	room := end - p.text.Len()
	if needsHeading {
		room -= len(heading) + 2
	}
	if p.open != byErrand {
		room -= len(p.fence.close())
	}
	if piece.by != p.open {
		room -= p.fence.size(piece.by)
	}
	for _, text := range []string{piece.text, piece.short} {
		if text != "" && len(text) <= room {
			return text, true
		}
	}
	return "", false
}

func (p *page) switchFence(to writer) {
	if to == p.open {
		return
	}
	if p.open != byErrand {
		p.text.WriteString(p.fence.close())
	}
	if to != byErrand {
		p.text.WriteString(p.fence.open(to))
	}
	p.open = to
}
