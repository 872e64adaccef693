package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/core"
)

// addNote makes the arguments of add_note.
func addNote(t *testing.T, issue int64, text string) string {
	return mustJSON(t, object{"id": issue, "text": text})
}

func TestAddNote(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	pay := h.addEvents(h.newEvent("pay", 1)).IssueID
	const text = "Tried:\n\t1. \"restart\" <b>\n2. больше памяти 🙂"
	h.sameJSON(object{"data": object{"id": 2}}, h.mustCall(writer, core.AddNote.Operation, addNote(t, pay, text)))
	h.sameJSON(object{"next_cursor": nil, "data": []any{object{
		"id": 2, "at": noonText, "actor_type": "token", "actor_id": 2, "actor_name": "agent-2", "action": "issue.note",
		"target_type": "issue", "target_id": pay, "data": object{"text": text},
	}}}, h.mustCall(reader, core.ListIssueActivity.Operation, idArgs(pay)))
}

// noteText adds a note and returns the stored text.
func (h *fixture) noteText(issue int64, text string) string {
	h.Helper()
	h.mustCall(writer, core.AddNote.Operation, addNote(h.T, issue, text))
	var page struct {
		Data []struct{ Data struct{ Text string } }
	}
	decodeInto(h.T, h.mustCall(reader, core.ListIssueActivity.Operation, idArgs(issue)), &page)
	return page.Data[0].Data.Text
}

func TestNotesAreCleaned(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	pay := h.addEvents(h.newEvent("pay", 1)).IssueID
	for name, test := range map[string]struct{ text, secret string }{
		"a bearer token": {"curl -H 'Authorization: Bearer abcdefghij0123456789abcdefghij'", "abcdefghij0123456789"},
		"a password":     {"I used password=hunter2horse to log in", "hunter2horse"},
		"a URL":          {"see postgres://admin:hunter2horse@db.example/shop", "hunter2horse"},
		"a card":         {"paid with 4111 1111 1111 1111 again", "4111 1111 1111 1111"},
	} {
		stored := h.noteText(pay, test.text)
		require.NotContains(t, stored, test.secret, name)
		require.Contains(t, stored, "[Filtered]", name)
	}
	require.Equal(t, "ab", h.noteText(pay, "a\u0000\u0007\u001b\u202e\u2066b"), "control and bidi characters are removed")
	require.NotContains(t, h.noteText(pay, "pass\u200bword=hunter2horse"), "hunter2horse", "a character that cannot be seen hides no secret")
}

func TestNotesAreCleanedByTheRulesOfTheirProject(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	pay := h.addEvents(h.newEvent("pay", 1)).IssueID
	require.Equal(t, "customer_ref=JD-77 is EMP-123456", h.noteText(pay, "customer_ref=JD-77 is EMP-123456"))
	h.changeRows(`UPDATE projects SET scrub_keys = '{customer_ref}', scrub_patterns = ARRAY['EMP-[0-9]{6}']`)
	const want = "customer_ref=[Filtered] is [Filtered], password=[Filtered]"
	require.Equal(t, want, h.noteText(pay, "customer_ref=JD-77 is EMP-123456, password=hunter2horse"))
	h.mustCall(writer, core.CorrectTriage.Operation, mustJSON(t, object{"id": pay, "noise": true, "note": "Customer-Ref: JD77x, EMP-123456"}))
	var page struct {
		Data []struct{ Data struct{ Note string } }
	}
	decodeInto(t, h.mustCall(reader, core.ListIssueActivity.Operation, idArgs(pay)), &page)
	require.Equal(t, "Customer-Ref: [Filtered], [Filtered]", page.Data[0].Data.Note)
}

func TestNotesAreCountedInCharacters(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	pay := h.addEvents(h.newEvent("pay", 1)).IssueID
	for _, c := range []string{"a", "é", "語", "🙂"} {
		longest := strings.Repeat(c, 4000)
		require.Equal(t, longest, h.noteText(pay, longest))
		h.mustRefuse(core.AddNote.Operation, addNote(t, pay, longest+c), "text")
	}
}

func TestNotesWithoutText(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	pay := h.addEvents(h.newEvent("pay", 1)).IssueID
	for _, text := range []string{"", " ", "\n\t ", "\u0000", "\u202e\u2066", " \u0007 "} {
		h.mustRefuse(core.AddNote.Operation, addNote(t, pay, text), "text")
	}
	h.mustRefuse(core.AddNote.Operation, idArgs(pay), "text")
	h.mustRefuse(core.AddNote.Operation, fmt.Sprintf(`{"id": %d, "text": 5}`, pay), "text")
	h.sameJSON(object{"next_cursor": nil, "data": []any{}}, h.mustCall(reader, core.ListIssueActivity.Operation, idArgs(pay)))
}
