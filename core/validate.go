package core

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// maxDetails bounds an error: a body of 1 MB can have 100,000 unknown fields.
const maxDetails = 100

// validateArgs checks arguments that already have their types. The error has a detail for each mistake, worded for a
// reader who will act on it.
func (in *input) validateArgs(args map[string]any) error {
	rules, err := in.rules()
	if err != nil {
		return err
	}
	failure := &Error{Code: InvalidRequest, Details: in.checkText(args)}
	if err := rules.Validate(args); err != nil {
		var tree *jsonschema.ValidationError
		if !errors.As(err, &tree) {
			return err
		}
		collectDetails(in, tree, failure)
	}
	if len(failure.Details) == 0 {
		return nil
	}
	slices.SortFunc(failure.Details, func(a, b Detail) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Message, b.Message))
	})
	failure.Details = failure.Details[:min(len(failure.Details), maxDetails)]
	return failure
}

func collectDetails(in *input, tree *jsonschema.ValidationError, failure *Error) {
	if len(tree.Causes) > 0 {
		for _, cause := range tree.Causes {
			collectDetails(in, cause, failure)
		}
		return
	}
	path := strings.Join(tree.InstanceLocation, ".")
	add := func(path, message string) { failure.Details = append(failure.Details, Detail{path, message}) }
	switch k := tree.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			add(joinPath(path, name), "is required")
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			add(joinPath(path, name), "is not a known field; allowed: "+in.allowedNames())
		}
	default:
		add(path, wordMistake(k))
	}
}

func (in *input) allowedNames() string {
	names := make([]string, len(in.fields))
	for i := range in.fields {
		names[i] = in.fields[i].Name
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func wordMistake(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return "must be " + oneOf(k.Want) + ", not " + k.Got
	case *kind.Enum:
		return "must be one of " + enumWords(k.Want)
	case *kind.Minimum:
		return "must be at least " + formatRat(k.Want)
	case *kind.Maximum:
		return "must be at most " + formatRat(k.Want)
	case *kind.MinLength:
		return "must have at least " + formatCount(k.Want, "character")
	case *kind.MaxLength:
		return "must have at most " + formatCount(k.Want, "character") + fmt.Sprintf(", not %d", k.Got)
	case *kind.MinItems:
		return "must have at least " + formatCount(k.Want, "item")
	case *kind.MaxItems:
		return "must have at most " + formatCount(k.Want, "item")
	case *kind.UniqueItems:
		return "must not name an item twice"
	case *kind.Format:
		return "must be a valid " + k.Want
	default:
		return "is not valid"
	}
}

func oneOf(types []string) string {
	words := make([]string, len(types))
	for i, t := range types {
		words[i] = "a " + t
		if strings.ContainsRune("aeiou", rune(t[0])) {
			words[i] = "an " + t
		}
	}
	return strings.Join(words, " or ")
}

func enumWords(values []any) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, ", ")
}

func formatRat(n *big.Rat) string {
	if n.IsInt() {
		return n.Num().String()
	}
	return n.FloatString(3)
}

func formatCount(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
