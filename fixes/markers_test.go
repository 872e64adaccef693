package fixes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/fixes"
)

func TestFindIssues(t *testing.T) {
	t.Parallel()
	markers := fixes.NewIssueMarkers("https://errand.example/")
	for text, want := range map[string][]int64{
		"":                                                 nil,
		"Errand-Issue: 42":                                 {42},
		"Load\n\n  errand-issue:\t#42 \r\nMore":            {42},
		"Errand-Issue: 42, 43 #44":                         {42, 43, 44},
		"Errand-Issue: 42\nErrand-Issue: 42":               {42},
		"see Errand-Issue: 42":                             nil,
		"Errand-Issue: 42 and more":                        nil,
		"Errand-Issue: -42":                                nil,
		"Errand-Issue: 0":                                  nil,
		"Errand-Issue: 9223372036854775808":                nil,
		"Errand-Issue:":                                    nil,
		"Errand-Issue: \x00":                               nil,
		"fixes https://errand.example/issues/7.":           {7},
		"https://Errand.Example/v1/issues/7/events":        {7},
		"https://errand.example/issues/7a":                 nil,
		"https://errand.example/issues/":                   nil,
		"https://errandXexample/issues/7":                  nil,
		"https://other.example/issues/7":                   nil,
		"Errand-Issue: 1\nhttps://errand.example/issues/2": {1, 2},
		`Revert "Fix https://errand.example/issues/7"`:     nil,
		`Revert "Fix https://errand.example/issues/7"` + "\n\nErrand-Issue: 1":                    {1},
		"Undo\n\nThis reverts commit " + fixCommit + ".\n\nErrand-Issue: 1":                       {1},
		"Fix what broke when we reverted\n\nErrand-Issue: 1":                                      {1},
		`Revert "Revert "Fix https://errand.example/issues/7""`:                                   {7},
		`Revert "Reapply "Fix https://errand.example/issues/7""`:                                  nil,
		`Reapply "Errand-Issue"` + "\n\nThis reverts commit " + fixCommit + "\n\nErrand-Issue: 7": {7},
	} {
		t.Run(text, func(t *testing.T) {
			require.Equal(t, want, markers.FindIssues(text))
		})
	}
	var many strings.Builder
	for id := range 1000 {
		fmt.Fprintf(&many, "Errand-Issue: %d\n", id+1)
	}
	require.Len(t, markers.FindIssues(many.String()), 20)
}

func TestFindReverted(t *testing.T) {
	t.Parallel()
	for message, want := range map[string][]string{
		`Revert "Load"` + "\n\nThis reverts commit " + strings.ToUpper(fixCommit) + ".\n":      {fixCommit},
		"This reverts commit " + fixCommit + ", reversing\nchanges made to " + newCommit + ".": {fixCommit},
		"Undo\n\nThis reverts commit abc1234\nThis reverts commit " + newCommit + ".":          {"abc1234", newCommit},
		`Revert "Load"`:                                   nil,
		"This reverts commit abc123.":                     nil,
		"This reverts commit " + fixCommit + "0.":         nil,
		"It says: This reverts commit " + fixCommit + ".": nil,
	} {
		t.Run(message, func(t *testing.T) {
			require.Equal(t, want, fixes.FindReverted(message))
		})
	}
	require.Len(t, fixes.FindReverted(strings.Repeat("This reverts commit abc1234.\n", 1000)), 20)
}

func TestFindMergedNumber(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"Merge pull request #7 from acme/cart\n\nLoad":       "7",
		"Merge pull request 'Load' (#7) from cart into main": "7",
		"Load the cart (#7)":                                 "7",
		"Load the cart (#7)\r\n\r\nText":                     "7",
		`Revert "Load the cart (#7)" (#8)`:                   "8",
		"Load the cart (#7) again":                           "",
		"Load the cart\n\n(#7)":                              "",
		"Merge branch 'main'":                                "",
		"Load (#0)":                                          "",
		"Load (#99999999999)":                                "",
		"":                                                   "",
	} {
		t.Run(message, func(t *testing.T) {
			require.Equal(t, want, fixes.FindMergedNumber(message))
		})
	}
}

func TestParseRepository(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Acme/Shop":                           "acme/shop",
		"https://github.com/Acme/Shop":        "acme/shop",
		"https://GitHub.com/acme/shop.git":    "acme/shop",
		"http://github.com/acme/shop/":        "acme/shop",
		"https://gitlab.example/acme/shop":    "",
		"https://github.com.evil.example/a/b": "",
		"https://github.com/acme/shop/pull/7": "",
		"https://ada@github.com/acme/shop":    "",
		"git://github.com/acme/shop":          "",
		"git@github.com:acme/shop.git":        "",
		"acme":                                "",
		"acme/../shop":                        "",
		"acme/shop\x00":                       "",
		"":                                    "",
	} {
		t.Run(text, func(t *testing.T) {
			repository, host, ok := fixes.Hosts{"github.com"}.ParseRepository(text)
			require.Equal(t, want != "", ok)
			if ok {
				require.Equal(t, []string{want, "github.com"}, []string{repository, host})
			}
		})
	}
}
