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
	pay := h.add(h.event("pay", 1)).IssueID
	const text = "Tried:\n\t1. \"restart\" <b>\n2. больше памяти 🙂"
	h.is(object{"data": object{"id": 2}}, h.ok(writer, core.AddNote.Operation, addNote(t, pay, text)))
	h.is(object{"next_cursor": nil, "data": []any{object{
		"id": 2, "at": noonText, "actor_type": "token", "actor_id": 2, "actor_name": "agent-2", "action": "issue.note",
		"target_type": "issue", "target_id": pay, "data": object{"text": text},
	}}}, h.ok(reader, core.ListIssueActivity.Operation, id(pay)))
}

// noteText adds a note and gives the text as it is stored.
func (h *house) noteText(issue int64, text string) string {
	h.Helper()
	h.ok(writer, core.AddNote.Operation, addNote(h.T, issue, text))
	var page struct {
		Data []struct{ Data struct{ Text string } }
	}
	decode(h.T, h.ok(reader, core.ListIssueActivity.Operation, id(issue)), &page)
	return page.Data[0].Data.Text
}

func TestNotesAreCleaned(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	pay := h.add(h.event("pay", 1)).IssueID
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
	pay := h.add(h.event("pay", 1)).IssueID
	require.Equal(t, "customer_ref=JD-77 is EMP-123456", h.noteText(pay, "customer_ref=JD-77 is EMP-123456"))
	h.change(`UPDATE projects SET scrub_keys = '{customer_ref}', scrub_patterns = ARRAY['EMP-[0-9]{6}']`)
	const want = "customer_ref=[Filtered] is [Filtered], password=[Filtered]"
	require.Equal(t, want, h.noteText(pay, "customer_ref=JD-77 is EMP-123456, password=hunter2horse"))
	h.ok(writer, core.CorrectTriage.Operation, mustJSON(t, object{"id": pay, "noise": true, "note": "Customer-Ref: JD77x, EMP-123456"}))
	var page struct {
		Data []struct{ Data struct{ Note string } }
	}
	decode(t, h.ok(reader, core.ListIssueActivity.Operation, id(pay)), &page)
	require.Equal(t, "Customer-Ref: [Filtered], [Filtered]", page.Data[0].Data.Note)
}

func TestNotesAreCountedInCharacters(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	pay := h.add(h.event("pay", 1)).IssueID
	for _, c := range []string{"a", "é", "語", "🙂"} {
		longest := strings.Repeat(c, 4000)
		require.Equal(t, longest, h.noteText(pay, longest))
		h.refuses(core.AddNote.Operation, addNote(t, pay, longest+c), "text")
	}
}

func TestNotesWithoutText(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	pay := h.add(h.event("pay", 1)).IssueID
	for _, text := range []string{"", " ", "\n\t ", "\u0000", "\u202e\u2066", " \u0007 "} {
		h.refuses(core.AddNote.Operation, addNote(t, pay, text), "text")
	}
	h.refuses(core.AddNote.Operation, id(pay), "text")
	h.refuses(core.AddNote.Operation, fmt.Sprintf(`{"id": %d, "text": 5}`, pay), "text")
	h.is(object{"next_cursor": nil, "data": []any{}}, h.ok(reader, core.ListIssueActivity.Operation, id(pay)))
}
