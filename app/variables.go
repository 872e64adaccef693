package app

import (
	"reflect"
	"slices"
	"strings"
)

// ListVariables returns the names of all variables of the environment that Errand reads.
func ListVariables() []string {
	names := []string{"GOMEMLIMIT", "GOGC"}
	var collect func(reflect.Type)
	collect = func(t reflect.Type) {
		for field := range t.Fields() {
			if name := field.Tag.Get("env"); name != "" {
				names = append(names, name)
			} else if field.Anonymous {
				collect(field.Type)
			}
		}
	}
	collect(reflect.TypeFor[Config]())
	return names
}

// shortestCompared is the length of the shortest variable that names are compared with: shorter ones resemble too many names.
const shortestCompared = 6

// FindMisspelled returns the names in an environment that are nearly one of Errand's, with the name that is probably
// meant: RETENTION_DAY for RETENTION_DAYS. Names that only share words with one, such as DATABASE_PORT, are ignored.
func FindMisspelled(environment []string) map[string]string {
	variables, found := ListVariables(), map[string]string{}
	for _, variable := range environment {
		name, _, _ := strings.Cut(variable, "=")
		if slices.Contains(variables, name) {
			continue
		}
		for _, meant := range variables {
			if len(meant) >= shortestCompared && isNear(name, meant) {
				found[name] = meant
			}
		}
	}
	return found
}

// isNear reports whether a name is at most two edits from another. Names with equally many words must differ in less
// than half of a word's letters; otherwise the words are different.
func isNear(name, meant string) bool {
	if editDistance(name, meant) > 2 {
		return false
	}
	words, wanted := strings.Split(name, "_"), strings.Split(meant, "_")
	if len(words) != len(wanted) {
		return true
	}
	for i := range words {
		if 2*editDistance(words[i], wanted[i]) >= len(wanted[i]) && words[i] != wanted[i] {
			return false
		}
	}
	return true
}

// editDistance counts the letters to insert, delete, replace, or swap with a neighbour, to turn a into b.
func editDistance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j-1], rows[i-1][j], rows[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], 1+rows[i-2][j-2])
			}
		}
	}
	return rows[len(a)][len(b)]
}
