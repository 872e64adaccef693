package prompts

import (
	"fmt"
	"strings"
)

// fenceWord begins the lines that mark text of the monitored app.
const fenceWord = "UNTRUSTED"

// piece is a part of a section that is shown whole, in short, or not at all.
type piece struct {
	text     string // whole lines
	short    string // instead of it where there is little room; empty for nothing
	isTheirs bool   // it has text of the monitored app: it stands in a fence
	what     string // it is one of, such as "note", where it is counted when it is left out
}

// makePiece makes a piece of text of Errand's own.
func makePiece(text string) piece { return piece{text: endLine(text)} }

// makeFenced makes a piece with text of the monitored app, which is clean.
func makeFenced(text string) piece { return piece{text: fenceLines(endLine(text)), isTheirs: true} }

// orShort adds what stands in its place where there is little room.
func (p piece) orShort(short string) piece {
	p.short = endLine(short)
	if p.isTheirs {
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
	isOpen  bool // a fence is
	leftOut leftOut
}

// fence marks text of the monitored app with an id that it cannot know.
type fence struct{ id string }

func (f fence) open() string  { return "```\n" + fenceWord + " " + f.id + " BEGIN\n" }
func (f fence) close() string { return fenceWord + " " + f.id + " END\n```\n" }

// size returns how many bytes the fence has around a text.
func (f fence) size() int { return len(f.open()) + len(f.close()) }

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
	size, inFence := len(s.heading)+2, false
	for _, piece := range s.pieces {
		if piece.isTheirs && !inFence {
			size += f.size()
		}
		inFence = piece.isTheirs
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
		p.switchFence(piece.isTheirs)
		p.text.WriteString(text)
	}
	p.switchFence(false)
}

// chooseForm returns the longest form of a piece that fits.
func (p *page) chooseForm(piece piece, end int, needsHeading bool, heading string) (string, bool) {
	room := end - p.text.Len()
	if needsHeading {
		room -= len(heading) + 2
	}
	switch {
	case p.isOpen:
		room -= len(p.fence.close())
	case piece.isTheirs:
		room -= p.fence.size()
	}
	for _, text := range []string{piece.text, piece.short} {
		if text != "" && len(text) <= room {
			return text, true
		}
	}
	return "", false
}

func (p *page) switchFence(open bool) {
	switch {
	case open && !p.isOpen:
		p.text.WriteString(p.fence.open())
	case !open && p.isOpen:
		p.text.WriteString(p.fence.close())
	}
	p.isOpen = open
}
