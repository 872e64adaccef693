package tools

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store"
)

// Every field of the input reaches the filter. A field that is not passed on would silently filter nothing.
func TestEveryFilterOfIssuesIsPassedOn(t *testing.T) {
	t.Parallel()
	for _, field := range reflect.VisibleFields(reflect.TypeFor[core.ListIssuesInput]()) {
		if field.Anonymous || field.Type == reflect.TypeFor[core.ProjectRef]() || field.Type == reflect.TypeFor[core.IssueFields]() {
			continue // the project is looked up, and the fields choose the members of the answer
		}
		t.Run(field.Name, func(t *testing.T) {
			t.Parallel()
			var in core.ListIssuesInput
			fillValue(t, reflect.ValueOf(&in).Elem().FieldByIndex(field.Index))

			filter := makeIssueFilter(in, 0)

			require.NotEqual(t, store.IssueFilter{}, filter, "makeIssueFilter in list_issues.go does not pass it on")
		})
	}
}

// fillValue sets a value other than the zero value.
func fillValue(t *testing.T, value reflect.Value) {
	t.Helper()
	switch value.Kind() {
	case reflect.String:
		value.SetString("x")
	case reflect.Bool:
		value.SetBool(true)
	case reflect.Int, reflect.Int64:
		value.SetInt(1)
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
	default:
		require.Fail(t, "no value for this type", value.Type())
	}
}
