package prompts

import "errand/core"

// Bytes of the names and punctuation of JSON around the parts that are measured.
const (
	sizeOfFrame = 250
	sizeOfPart  = 150
)

// measureEvent estimates how many bytes the JSON of an event has. Writing it only to measure it would take longer than
// writing the whole brief.
func measureEvent(e *core.BriefEvent) int {
	size := 2*sizeOfFrame + measureTexts(e.Message, e.Transaction, e.Release, e.Environment, e.ServerName) +
		measureTexts(e.UnmappedFrames...) + measureValues(e.Request, e.User, e.Tags, e.Contexts, e.Extra)
	for i := range e.Exceptions {
		x := &e.Exceptions[i]
		size += sizeOfPart + measureTexts(x.Type, x.Value) + measureFrames(x.Frames)
	}
	for i := range e.Threads {
		size += sizeOfPart + measureTexts(e.Threads[i].Name) + measureFrames(e.Threads[i].Frames)
	}
	for i := range e.Breadcrumbs {
		c := &e.Breadcrumbs[i]
		size += sizeOfPart + measureTexts(c.Category, c.Level, c.Message) + measureValues(c.Data)
	}
	return size
}

func measureFrames(frames []core.BriefFrame) (size int) {
	for i := range frames {
		f := &frames[i]
		size += sizeOfFrame + measureTexts(f.Function, f.Module, f.File) + measureTexts(f.Source...) + measureValues(f.Vars)
	}
	return size
}

// measureTexts returns the size of texts, including the escapes of JSON.
func measureTexts(texts ...core.Untrusted) (size int) {
	for _, text := range texts {
		size += measureText(string(text))
	}
	return size
}

func measureText(text string) int {
	size := len(text) + len(`"",`)
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' {
			size++
		}
	}
	return size
}

func measureValues(values ...core.Value) (size int) {
	for i := range values {
		v := &values[i]
		size += measureText(v.Text)
		for n := range v.Kids {
			size += measureText(v.Kids[n].Key) + measureValues(v.Kids[n].Value)
		}
	}
	return size
}
