package scrub

import (
	"strings"

	"errand/core"
)

// maxNesting is how deep a value may nest; deeper values are filtered.
const maxNesting = 100

func (c *cleaner) cleanValue(v *core.Value, depth int) {
	switch v.Kind {
	case core.String:
		v.Text = c.cleanText(v.Text)
	case core.Number:
		if len(v.Text) >= minCard { // long enough for a card's number that was sent as a number
			if t := c.cleanText(v.Text); t != v.Text {
				*v = core.StringValue(t)
			}
		}
	case core.Array:
		if depth >= maxNesting {
			filterValue(v)
			return
		}
		c.cleanArray(v, depth)
	case core.Object:
		if depth >= maxNesting {
			filterValue(v)
			return
		}
		c.cleanMembers(v, depth)
	}
}

func (c *cleaner) cleanMembers(v *core.Value, depth int) {
	for i := range v.Kids {
		kid := &v.Kids[i]
		kid.Key = c.cleanText(kid.Key)
		switch {
		case c.holdsSecret(kid):
			filterValue(&kid.Value)
		case isValueKey(kid.Key) && c.hasSecretName(v):
			filterValue(&kid.Value)
		default:
			c.cleanValue(&kid.Value, depth+1)
			if holdsData(kid.Key) && isSecretManifest(v) {
				filterMembers(&kid.Value)
			}
		}
	}
}

// holdsSecret reports whether the value of a member, whose key was just cleaned, is a secret by its key.
func (c *cleaner) holdsSecret(kid *core.Member) bool {
	found := c.rules.judgeName(kid.Key)
	if found == public && (c.isPlainText || !c.isDisguised(kid.Key)) {
		return false
	}
	return c.rules.keys.hasKey(kid.Key) || !isTokenCount(kid.Key, kid.Value.Text) &&
		!isWorkingFolder(kid.Key, kid.Value.Text) && !isIdentity(found, kid.Key, kid.Value.Text)
}

func (c *cleaner) cleanArray(v *core.Value, depth int) {
	torn := false
	for i := range v.Kids {
		kid := &v.Kids[i].Value
		if i > 0 && c.followsSecretName(v, i) {
			filterValue(kid)
			continue
		}
		c.keyIsTorn = false
		line := kid.Kind == core.String
		c.cleanValue(kid, depth+1)
		torn = torn || line && c.keyIsTorn
	}
	if torn { // the lines of a private key
		for i := range v.Kids {
			filterValue(&v.Kids[i].Value)
		}
	}
}

// followsSecretName reports whether the element before i is the name of a secret and the one at i its value: in a pair such as
// ["password", "x"], in a flat list of names and values, as Node has for headers, and in the arguments of a command, --password
// x.
func (c *cleaner) followsSecretName(v *core.Value, i int) bool {
	name, value := v.Kids[i-1].Value, v.Kids[i].Value
	if name.Kind != core.String || len(name.Text) > maxName {
		return false
	}
	if option, ok := strings.CutPrefix(name.Text, "--"); ok {
		return c.isSecretKey(option)
	}
	if !c.isSecretKey(name.Text) {
		return false
	}
	return len(v.Kids) == 2 || value.Kind == core.String && isElement(value.Text)
}

// isElement reports whether the text after a secret's name in a longer list is its value, and not another name.
func isElement(text string) bool {
	text = strings.TrimLeft(strings.Trim(text, `"'`), "b'\"")
	if text == Mask || isVoid(text) {
		return false
	}
	return strings.IndexByte(text, ' ') > 0 || hasDigit(text) && judgeDefaultName(text) == public || isMixed(text)
}

// hasSecretName reports whether an object is like {"name": "password", "value": "x"}.
func (c *cleaner) hasSecretName(v *core.Value) bool {
	for _, kid := range v.Kids {
		if (namesField(kid.Key) || kid.Key == "k") && kid.Value.Kind == core.String && c.isSecretKey(kid.Value.Text) {
			return true
		}
	}
	return false
}

// isValueKey reports whether a key holds the value in such an object.
func isValueKey(key string) bool {
	switch key {
	case "value", "val", "v", "Value", "ParameterValue":
		return true
	}
	return false
}

func (c *cleaner) isSecretKey(key string) bool {
	return c.rules.judgeName(key) != public || c.isDisguised(key)
}

// isDisguised reports whether a key is a secret's name in letters of another script, or percent-encoded.
func (c *cleaner) isDisguised(key string) bool {
	if spelled := spellLatin(key); spelled != key && c.rules.judgeName(spelled) != public {
		return true
	}
	return strings.IndexByte(key, '%') >= 0 && c.rules.judgeName(decodeEscapes(key)) != public
}

// filterValue replaces a value of any kind; null and empty values stay.
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
