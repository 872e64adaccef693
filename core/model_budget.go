package core

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// What an answer may cost a model. A token is counted as 4 bytes.
const (
	bytesPerToken = 4
	// ModelBudget is how long an answer to a model may be, in bytes: clients cut longer ones, or put them into a file.
	ModelBudget = 20_000 * bytesPerToken
	// markRoom is what is added to an answer after it was cut.
	markRoom = 1024
)

// leftOut says what of an answer was cut so that it fits a model's budget.
type leftOut struct {
	Path string `json:"path"`
	Kept int    `json:"kept"`
	Of   int    `json:"of"`
	Unit string `json:"unit"`
}

// fitBudget cuts the longest lists and texts of an answer until it is not longer than the budget, and says in left_out what it
// cut. The answer is a JSON object; it stays as it is when it fits.
func fitBudget(body []byte, budget int) ([]byte, error) {
	if len(body) <= budget {
		return body, nil
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var whole map[string]any
	if err := dec.Decode(&whole); err != nil {
		return nil, err
	}
	cuts := map[string]leftOut{}
	for len(body) > budget-markRoom {
		largest := &fitting{}
		largest.find(whole, "", func(any) {})
		if largest.cut == nil {
			break // numbers and names alone
		}
		over := len(body) - (budget - markRoom)
		cut := largest.cut(over)
		if first, again := cuts[cut.Path]; again {
			cut.Of = first.Of
		}
		cuts[cut.Path] = cut
		var list []leftOut
		for _, c := range cuts {
			list = append(list, c)
		}
		whole["left_out"] = list
		text, err := marshalPlain(whole)
		if err != nil {
			return nil, err
		}
		body = text
	}
	return body, nil
}

// fitting is the longest list or text of an answer, found so far.
type fitting struct {
	size int
	cut  func(over int) leftOut
}

// find looks at a value, which set replaces where it stands, and at all in it. It returns about how long it is.
func (f *fitting) find(v any, path string, set func(any)) int {
	switch v := v.(type) {
	case map[string]any:
		size := 2
		for name, member := range v {
			if path == "" && name == "left_out" {
				continue
			}
			size += len(name) + 4 + f.find(member, strings.TrimPrefix(path+"."+name, "."), func(to any) { v[name] = to })
		}
		return size
	case []any:
		sizes, size := make([]int, len(v)), 2
		for i := range v {
			sizes[i] = f.find(v[i], fmt.Sprintf("%s[%d]", path, i), func(to any) { v[i] = to })
			size += sizes[i] + 1
		}
		if len(v) > 1 {
			f.keep(size, func(over int) leftOut {
				kept, saved := len(v), 0
				for kept > 1 && saved < over {
					kept--
					saved += sizes[kept] + 1
				}
				set(v[:kept])
				return leftOut{path, kept, len(v), "items"}
			})
		}
		return size
	case string:
		if len(v) > 200 {
			f.keep(len(v), func(over int) leftOut {
				end := max(100, len(v)-over-len("…"))
				for end > 0 && !utf8.RuneStart(v[end]) {
					end--
				}
				set(v[:end] + "…")
				return leftOut{path, end, len(v), "bytes"}
			})
		}
		return len(v) + 2
	}
	return 8
}

// keep remembers what is longer than all before. A list of one long item is cut in the item.
func (f *fitting) keep(size int, cut func(over int) leftOut) {
	if size > f.size {
		f.size, f.cut = size, cut
	}
}
