package scrub

import (
	"strings"

	"errand/core"
)

// maxNesting is how deep a value may nest; what lies deeper is filtered.
const maxNesting = 100

func (w *walk) value(v *core.Value, depth int) {
	switch v.Kind {
	case core.String:
		v.Text = w.text(v.Text)
	case core.Number:
		if len(v.Text) >= minCard { // as a card's number has, when it was sent as a number
			if t := w.text(v.Text); t != v.Text {
				*v = core.StringValue(t)
			}
		}
	case core.Array:
		if depth >= maxNesting {
			filterValue(v)
			return
		}
		w.array(v, depth)
	case core.Object:
		if depth >= maxNesting {
			filterValue(v)
			return
		}
		w.members(v, depth)
	}
}

func (w *walk) members(v *core.Value, depth int) {
	for i := range v.Kids {
		kid := &v.Kids[i]
		kid.Key = w.text(kid.Key)
		switch {
		case w.rules.verdict(kid.Key) != public, !w.plain && w.isDisguised(kid.Key):
			if !isTokenCount(kid.Key, kid.Value.Text) || w.rules.own.has(kid.Key) {
				filterValue(&kid.Value)
			}
		case isValueKey(kid.Key) && w.namedSecret(v):
			filterValue(&kid.Value)
		default:
			w.value(&kid.Value, depth+1)
			if holdsData(kid.Key) && isSecretManifest(v) {
				filterMembers(&kid.Value)
			}
		}
	}
}

func (w *walk) array(v *core.Value, depth int) {
	torn := false
	for i := range v.Kids {
		kid := &v.Kids[i].Value
		if i > 0 && w.tells(v, i) {
			filterValue(kid)
			continue
		}
		w.torn = false
		line := kid.Kind == core.String
		w.value(kid, depth+1)
		torn = torn || line && w.torn
	}
	if torn { // the lines of a private key
		for i := range v.Kids {
			filterValue(&v.Kids[i].Value)
		}
	}
}

// tells is true when the element before i is the name of a secret whose value is at i: in a pair such as
// ["password", "x"], in a flat list of names and values, as Node has of headers, and in the arguments of a command,
// --password x.
func (w *walk) tells(v *core.Value, i int) bool {
	name, value := v.Kids[i-1].Value, v.Kids[i].Value
	if name.Kind != core.String || len(name.Text) > maxName {
		return false
	}
	if option, ok := strings.CutPrefix(name.Text, "--"); ok {
		return w.isSecret(option)
	}
	if !w.isSecret(name.Text) {
		return false
	}
	return len(v.Kids) == 2 || value.Kind == core.String && isElement(value.Text)
}

// isElement reports whether the text behind a secret's name in a longer list is its value, and not another name.
func isElement(text string) bool {
	text = strings.TrimLeft(strings.Trim(text, `"'`), "b'\"")
	return text != Mask && !isVoid(text) && (strings.IndexByte(text, ' ') > 0 || hasDigit(text) && nameOf(text) == public || isMixed(text))
}

// namedSecret is true for an object such as {"name": "password", "value": "x"}.
func (w *walk) namedSecret(v *core.Value) bool {
	for _, kid := range v.Kids {
		if (namesName(kid.Key) || kid.Key == "k") && kid.Value.Kind == core.String && w.isSecret(kid.Value.Text) {
			return true
		}
	}
	return false
}

// isValueKey is true for the names of the value in such an object.
func isValueKey(key string) bool {
	if key == "" || key[0]|0x20 != 'v' {
		return false
	}
	return key == "value" || key == "val" || key == "v" || key == "Value"
}

func (w *walk) isSecret(key string) bool {
	return w.rules.verdict(key) != public || w.isDisguised(key)
}

// isDisguised reports whether a key is a secret's name in letters of another script, or percent-encoded.
func (w *walk) isDisguised(key string) bool {
	if spelled := latin(key); spelled != key && w.rules.verdict(spelled) != public {
		return true
	}
	return strings.IndexByte(key, '%') >= 0 && w.rules.verdict(unescapedAll(key)) != public
}

// filterValue replaces a value, whatever its kind; what is null or empty stays.
func filterValue(v *core.Value) {
	if !v.IsEmpty() && (v.Kind != core.String || v.Text != "") {
		*v = core.StringValue(Mask)
	}
}

// filterMembers replaces the values of an object, or any other value whole.
func filterMembers(v *core.Value) {
	if v.Kind != core.Object {
		filterValue(v)
		return
	}
	for i := range v.Kids {
		filterValue(&v.Kids[i].Value)
	}
}
