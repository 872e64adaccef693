package core

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// ModelBudget is the most that an answer to a model may weigh, as WeighText counts. Clients cut answers of more
	// than 25,000 tokens, or put them into a file.
	ModelBudget = 22_000 * WeightPerToken
	// longText is the length in bytes above which a text may be cut. At least half of longText remains.
	longText = 200
)

// leftOut says what was cut from an answer to fit a model's budget. For free-form JSON, such as extra, the path is the path and the bytes
// belong to the whole: the names of its members are the app's words and must not stand in a path.
type leftOut struct {
	Path string `json:"path"`
	Kept int    `json:"kept"`
	Of   int    `json:"of"`
	Unit string `json:"unit"`
}

// fitsModel reports whether an answer is within ModelBudget.
func fitsModel(body []byte) bool {
	const heaviestByte = 5
	return heaviestByte*len(body) <= ModelBudget || WeighText(body) <= ModelBudget
}

// fitBudget cuts the heaviest lists, texts and free-form objects of an answer until it weighs no more than the
// budget, and records the cuts in left_out. An answer that fits stays as it is. The answer is a JSON object. free has
// the paths of its free-form JSON, as findFreeForm returns them.
func fitBudget(body []byte, free []string, budget int) ([]byte, error) {
	if WeighText(body) <= budget {
		return body, nil
	}
	var whole Value
	if err := whole.UnmarshalJSON(body); err != nil {
		return nil, err
	}
	root := (&answerMeasure{free}).measureValue(&whole, "", false)
	var list []leftOut
	for {
		text, err := marshalPlain(list)
		if err != nil {
			return nil, err
		}
		over := root.weight + WeighText(`,"left_out":`) + WeighText(text) + weightOfNextSign - budget
		if over <= 0 || !root.canCut {
			break // only numbers and Errand's own names are left
		}
		list = addLeftOut(list, root.cutLargest(over))
	}
	return appendMember(whole.AppendJSON(nil), "left_out", list)
}

// cursorRoom is the most that a cursor may weigh, which the answer has once there is a next page.
const cursorRoom = 200 * WeightPerToken

// countFitting returns how many of the items in data fit into the answer, at least one, and how many there are.
func countFitting(body []byte, free []string, budget int) (fitting, items int, err error) {
	var whole Value
	if err := whole.UnmarshalJSON(body); err != nil {
		return 0, 0, err
	}
	root := (&answerMeasure{free}).measureValue(&whole, "", false)
	for i, kid := range root.kids {
		if whole.Kids[i].Key != "data" || kid.value.Kind != Array {
			continue
		}
		weight := root.weight + cursorRoom
		items, fitting = len(kid.kids), len(kid.kids)
		for ; fitting > 1 && weight > budget; fitting-- {
			weight -= kid.kids[fitting-1].weight + weightOfNextSign
		}
	}
	return fitting, items, nil
}

// addLeftOut adds a cut to the list, or merges it with an earlier cut of the same path.
func addLeftOut(list []leftOut, cut leftOut) []leftOut {
	for i := range list {
		if list[i].Path == cut.Path && list[i].Unit == cut.Unit {
			list[i].Kept = cut.Kept
			return list
		}
	}
	list = append(list, cut)
	slices.SortFunc(list, func(a, b leftOut) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Unit, b.Unit))
	})
	return list
}

// answerPart is a value of an answer, with the length of its JSON and its weight after other JSON.
type answerPart struct {
	value  *Value
	kids   []*answerPart
	path   string // for free-form JSON, the path of its root
	isFree bool   // it is free-form JSON, or inside it
	isRoot bool   // it is free-form JSON, and not inside other
	size   int    // bytes
	weight int    // as WeighText counts
	canCut bool
}

type answerMeasure struct{ free []string }

// measureValue measures a value at a path, with everything in it.
func (m *answerMeasure) measureValue(v *Value, path string, isFree bool) *answerPart {
	part := &answerPart{value: v, path: path, isFree: isFree, kids: make([]*answerPart, len(v.Kids))}
	if !isFree && slices.Contains(m.free, genericPath(path)) {
		part.isFree, part.isRoot = true, true
	}
	for i := range v.Kids {
		below := path
		switch {
		case part.isFree:
		case v.Kind == Array:
			below = fmt.Sprintf("%s[%d]", path, i)
		default:
			below = strings.TrimPrefix(path+"."+v.Kids[i].Key, ".")
		}
		part.kids[i] = m.measureValue(&v.Kids[i].Value, below, part.isFree)
	}
	part.updateSize()
	return part
}

// genericPath removes the numbers from a path: data[].title.
func genericPath(path string) string {
	var b strings.Builder
	for piece := range strings.SplitSeq(path, "[") {
		if _, rest, isIndex := strings.Cut(piece, "]"); isIndex {
			piece = "[]" + rest
		}
		b.WriteString(piece)
	}
	return b.String()
}

// updateSize adds up the length and the weight of the part, and whether anything in it can be cut. The mark of
// untrusted text is never cut.
func (p *answerPart) updateSize() {
	switch p.value.Kind {
	case Array, Object:
		p.size, p.weight = len(`[]`)+max(0, len(p.kids)-1), 2*weightOfNextSign
		p.canCut = p.canDropKids() && len(p.kids) > 0
		for i, kid := range p.kids {
			size, weight := p.measureKey(i)
			p.size, p.weight = p.size+size+kid.size, p.weight+weight+kid.weight
			p.canCut = p.canCut || kid.canCut
		}
	default:
		text := p.value.AppendJSON(nil)
		p.size, p.weight = len(text), weighJSON(text)
		p.canCut = p.value.Kind == String && len(p.value.Text) > longText
	}
	if p.path == "untrusted" {
		p.canCut = false
	}
}

// measureKey returns the length of the i-th member without its value and comma, and its weight with the comma.
func (p *answerPart) measureKey(i int) (size, weight int) {
	if p.value.Kind != Object {
		return 0, weightOfNextSign
	}
	key := StringValue(p.value.Kids[i].Key).AppendJSON(nil)
	return len(key) + len(`:`), weighJSON(key) + 2*weightOfNextSign
}

// weighJSON returns the weight of a JSON text after other JSON.
func weighJSON(text []byte) int {
	scale := textScale{kind: signChar}
	addText(&scale, text)
	return scale.weight
}

// canDropKids reports whether some items or members may go: objects that are not free-form keep the members of their type.
func (p *answerPart) canDropKids() bool {
	return p.value.Kind == Array || p.value.Kind == Object && p.isFree
}

// cutLargest cuts the heaviest value in the part until the part is lighter by over, or nothing more can be cut.
func (p *answerPart) cutLargest(over int) leftOut {
	whole := p.size
	var cut leftOut
	switch kid := p.findLargest(); {
	case p.value.Kind == String:
		cut = p.cutText(over)
	case kid != nil && (!p.canDropKids() || len(p.kids) == 1 || 2*kid.weight > p.weight):
		cut = kid.cutLargest(over)
	default:
		cut = p.dropKids(over)
	}
	p.updateSize()
	if p.isRoot && cut.Unit == "" {
		cut = leftOut{p.path, p.size, whole, "bytes"}
	}
	return cut
}

// findLargest returns the heaviest value in the part that can be cut; nil for none.
func (p *answerPart) findLargest() (largest *answerPart) {
	for _, kid := range p.kids {
		if kid.canCut && (largest == nil || kid.weight > largest.weight) {
			largest = kid
		}
	}
	return largest
}

// dropKids drops items or members from the end. It keeps the first one unless it is alone.
func (p *answerPart) dropKids(over int) leftOut {
	kept, least, saved := len(p.kids), min(1, len(p.kids)-1), 0
	for kept > least && saved < over {
		kept--
		_, weight := p.measureKey(kept)
		saved += p.kids[kept].weight + weight
	}
	cut := leftOut{p.path, kept, len(p.kids), "items"}
	if p.value.Kind == Object {
		cut.Unit = "members"
	}
	p.kids, p.value.Kids = p.kids[:kept], p.value.Kids[:kept]
	return p.sayCut(cut)
}

// cutText cuts the end of a text, and keeps at least half of longText.
func (p *answerPart) cutText(over int) leftOut {
	const sign = "…"
	text := p.value.Text
	end := max(longText/2, findLightPrefix(text, p.weight-over-2*weightOfNextSign-WeighText(sign)))
	for !utf8.RuneStart(text[end]) {
		end--
	}
	p.value.Text = text[:end] + sign
	return p.sayCut(leftOut{p.path, end, len(text), "bytes"})
}

// sayCut reports a cut inside free-form JSON as a cut of its root.
func (p *answerPart) sayCut(cut leftOut) leftOut {
	if p.isFree && !p.isRoot {
		return leftOut{}
	}
	return cut
}

// findFreeForm returns the paths of the free-form JSON in an answer of the type, such as data.event.extra: objects
// whose members no Go type declares.
func findFreeForm(t reflect.Type, path string) []string {
	switch {
	case t == reflect.TypeFor[Value](), t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return []string{path}
	case t.Kind() == reflect.Pointer:
		return findFreeForm(t.Elem(), path)
	case t.Kind() == reflect.Slice:
		return findFreeForm(t.Elem(), path+"[]")
	case t.Kind() != reflect.Struct || t == reflect.TypeFor[Time]():
		return nil
	}
	var paths []string
	for _, f := range reflect.VisibleFields(t) {
		if name := jsonName(f); name != "" {
			paths = append(paths, findFreeForm(f.Type, strings.TrimPrefix(path+"."+name, "."))...)
		}
	}
	return paths
}
