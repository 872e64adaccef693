package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
)

// The shape of a bundle, as measured in real ones: mapped tokens of a line, and how many have a name.
const (
	linesPerSource = 120
	commentEvery   = 5 // lines
	tokensPerLine  = 4
	namedEvery     = 4
	nameCount      = 40_000
	lineFeedEvery  = 400_000 // generated columns: bundlers break lines only between chunks
)

// generator writes the source map of an invented bundle with the shape and the proportions of a real one.
type generator struct {
	random *rand.Rand
	words  []string

	mappings       strings.Builder
	tokens         int
	column, broken int
	before         [5]int // the base of the numbers in a mapping
	contents       []string
}

// generateMap writes a map of about size bytes and returns how many mappings it has.
func generateMap(w io.Writer, size int) (mappings int, err error) {
	g := &generator{random: rand.New(rand.NewPCG(1, 2))}
	for range nameCount {
		g.words = append(g.words, g.inventWord())
	}
	for total := 0; total < size; {
		source := len(g.contents)
		content := g.writeSource(source)
		g.contents = append(g.contents, content)
		quoted, err := json.Marshal(content)
		if err != nil {
			return 0, err
		}
		total += len(quoted) + 40
		if source%64 == 0 {
			total += g.mappings.Len() - g.broken
			g.broken = g.mappings.Len()
		}
	}
	return g.tokens, g.printMap(w)
}

func (g *generator) inventWord() string {
	const letters = "etaoinshrdlucmfwypvbgk"
	word := make([]byte, 3+g.random.IntN(10))
	for i := range word {
		word[i] = letters[g.random.IntN(1+g.random.IntN(len(letters)))]
	}
	return string(word)
}

// writeSource writes the content of a source, and the mappings of its tokens.
func (g *generator) writeSource(source int) string {
	var text strings.Builder
	for line := range linesPerSource {
		if line%commentEvery == 0 {
			g.writeComment(&text)
			continue
		}
		indent := g.random.IntN(5) * 2
		text.WriteString(strings.Repeat(" ", indent))
		column := indent
		for token := range tokensPerLine {
			name := g.random.IntN(1 + g.random.IntN(nameCount))
			g.addMapping([5]int{0, source, line, column, name}, token%namedEvery == 0)
			piece := g.words[name] + [...]string{".", "(", ", ", " = ", ") "}[g.random.IntN(5)]
			text.WriteString(piece)
			column += len(piece)
		}
		text.WriteString(";\n")
	}
	return text.String()
}

func (g *generator) writeComment(text *strings.Builder) {
	text.WriteString("  // ")
	for range 2 * tokensPerLine {
		text.WriteString(g.words[g.random.IntN(100)] + " ")
	}
	text.WriteByte('\n')
}

func (g *generator) addMapping(m [5]int, named bool) {
	m[0] = g.column
	if g.column > lineFeedEvery {
		g.mappings.WriteByte(';')
		m[0], g.before[0], g.column = 0, 0, 0
	} else if g.tokens > 0 {
		g.mappings.WriteByte(',')
	}
	g.column += 1 + g.random.IntN(12)
	fields := 4
	if named {
		fields = 5
	}
	for i := range fields {
		writeNumber(&g.mappings, m[i]-g.before[i])
		g.before[i] = m[i]
	}
	g.tokens++
}

// writeNumber writes a number in the form of mappings.
func writeNumber(w *strings.Builder, value int) {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	rest := value << 1
	if value < 0 {
		rest = -value<<1 | 1
	}
	for ; rest > 31; rest >>= 5 {
		w.WriteByte(digits[rest&31|32])
	}
	w.WriteByte(digits[rest])
}

func (g *generator) printMap(w io.Writer) error {
	out := bufio.NewWriter(w)
	sources := make([]string, len(g.contents))
	for i := range sources {
		sources[i] = fmt.Sprintf("webpack://shop/./src/part%d/file%d.ts", i/20, i)
	}
	fmt.Fprint(out, `{"version":3,"file":"static/js/main.js"`)
	for _, field := range []struct {
		name  string
		value any
	}{{"mappings", g.mappings.String()}, {"sources", sources}, {"sourcesContent", g.contents}, {"names", g.words}} {
		value, err := json.Marshal(field.value)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, ",%q:%s", field.name, value)
	}
	fmt.Fprint(out, "}")
	return out.Flush()
}
