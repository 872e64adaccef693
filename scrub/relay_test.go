package scrub

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"errand/core"
	"errand/testkit/corpora"

	"github.com/stretchr/testify/require"
)

// notOurRules are snapshots of settings that Errand does not have: removal of addresses, scrubbing switched off, a field inside a
// text.
var notOurRules = newWordSet(`
	tests__user_ip_stripped tests__sdk_client_ip_stripped tests__http_remote_addr_stripped tests__breadcrumb_message-2`)

// TestCorporaRelaySnapshots compares with the results of another scrubber. A snapshot has only the output, and for each filtered
// place the rule; so the test plants a secret for that rule there, and searches for it.
func TestCorporaRelaySnapshots(t *testing.T) {
	t.Parallel()
	dir := corpora.FindCorpus(t, "relay-2019-mit")
	files, err := filepath.Glob(filepath.Join(dir, "src", "datascrubbing", "snapshots", "*.snap"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	r, err := NewRules([]string{"mystuff", "fieldy_field", "moar_other_field"}, nil)
	require.NoError(t, err)
	agreed, total, differ := 0, 0, map[string]bool{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".snap")
		if notOurRules[name] {
			continue
		}
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		_, body, _ := strings.Cut(strings.TrimPrefix(string(raw), "---"), "\n---\n")
		s := snapshot{name: name, differ: differ}
		input := s.rebuildInput(parseValue(t, body))
		e := &core.Event{Extra: input}
		r.ScrubEvent(e)
		s.compareWith("", e.Extra)
		agreed, total = agreed+s.agreed, total+len(s.leaves)
	}
	t.Logf("%d of %d values are filtered, or kept, as there", agreed, total)
	require.Equal(t, newWordSet(`
		tests__does_sanitize_public_key.extra.s tests__doesnt_scrub_not_scrubbed.extra.test1.is_authenticated tests__contexts.contexts.secret.foo
		tests__http.request.cookies.0.0 tests__http.request.cookies.1.0 tests__http.request.cookies.2.0 tests__http.request.cookies.3.0
		tests__http.request.cookies.3.1 tests__http.request.cookies.4.0 tests__http.request.cookies.5.0`), differ,
		"decided otherwise: public keys and authenticated are no secrets; an object and a list of cookies are filtered whole")
}

// TestCorporaRealEventsStayReadable counts the filtered texts in events of real SDKs, which hold hardly any secret.
func TestCorporaRealEventsStayReadable(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{"relay-2019-mit/tests/fixtures/payloads/*.json", "glitchtip-2022/incoming_events/*.json"} {
		corpus, rest, _ := strings.Cut(pattern, "/")
		found, err := filepath.Glob(filepath.Join(corpora.FindCorpus(t, corpus), rest))
		require.NoError(t, err)
		files = append(files, found...)
	}
	texts, filtered := 0, 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		e := &core.Event{Extra: parseValue(t, string(raw))}
		texts += countTexts(e.Extra)
		filtered -= strings.Count(string(raw), Mask)
		DefaultRules().ScrubEvent(e)
		filtered += strings.Count(string(e.Extra.AppendJSON(nil)), Mask)
	}
	t.Logf("%d masks in %d texts of %d events", filtered, texts, len(files))
	require.Greater(t, texts, 5000)
	require.Less(t, filtered, 60)
}

func countTexts(v core.Value) int {
	n := 0
	if v.Kind == core.String {
		n = 1
	}
	for _, kid := range v.Kids {
		n += countTexts(kid.Value)
	}
	return n
}

// snapshot holds the values of one snapshot, by path.
type snapshot struct {
	name   string
	leaves map[string]leaf
	agreed int
	differ map[string]bool // where the result differs from the snapshot
}

// leaf is a value before filtering, and the secret in it, if any.
type leaf struct{ text, secret string }

// rebuildInput undoes the filtering: it puts secrets where the snapshot's _meta says that there were some.
func (s *snapshot) rebuildInput(v core.Value) core.Value {
	s.leaves = map[string]leaf{}
	meta := v.Get("_meta")
	for i := range v.Kids {
		if v.Kids[i].Key == "_meta" {
			v.Kids = append(v.Kids[:i], v.Kids[i+1:]...)
			break
		}
	}
	return s.undoRemarks("", v, meta)
}

func (s *snapshot) undoRemarks(path string, v, meta core.Value) core.Value {
	for i := range v.Kids {
		key := v.Kids[i].Key
		if v.Kind == core.Array {
			key = strconv.Itoa(i)
		}
		v.Kids[i].Value = s.undoRemarks(path+"."+key, v.Kids[i].Value, meta.Get(key))
	}
	if v.Kids != nil || v.Kind == core.Null && meta.IsEmpty() {
		return v
	}
	l := leaf{text: v.Text}
	if rem := meta.Get("").Get("rem"); len(rem.Kids) > 0 {
		rule := rem.Kids[0].Value.Kids[0].Value.Text
		if rule == "@anything:remove" { // of an address
			return v
		}
		before, _ := strconv.Atoi(meta.Get("").Get("len").Text)
		l.secret = s.makeSecret(rule, before-len(v.Text)+len(Mask)*strings.Count(v.Text, Mask))
		l.text = strings.ReplaceAll(v.Text, Mask, l.secret)
		if v.Kind == core.Null {
			l.text = l.secret
		}
		if s.name == "tests__sanitize_http_body_string" {
			l.text = `{"email":"zzzz@gmail.com","password":"` + l.secret + `"}`
		}
		v = core.StringValue(l.text)
	}
	s.leaves[path] = l
	return v
}

// makeSecret makes a secret that the rule filters.
func (s *snapshot) makeSecret(rule string, length int) string {
	switch {
	case rule == "@creditcard:filter" && length == 15:
		return "378282246310005"
	case rule == "@creditcard:filter" && strings.Contains(s.name, "mastercard"):
		return "5555555555554444"
	case rule == "@creditcard:filter" && strings.Contains(s.name, "discover"):
		return "6011111111111117"
	case rule == "@creditcard:filter":
		return "4242424242424242"
	case rule == "@usssn:filter":
		return "078-05-1120"
	case rule == "@urlauth:legacy":
		return "sEcre7"
	case rule == "@pemkey:filter":
		return "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA"
	}
	return "hunter2!"
}

func (s *snapshot) compareWith(path string, v core.Value) {
	if v.Kind == core.Object || v.Kind == core.Array {
		for i := range v.Kids {
			key := v.Kids[i].Key
			if v.Kind == core.Array {
				key = strconv.Itoa(i)
			}
			s.compareWith(path+"."+key, v.Kids[i].Value)
		}
		return
	}
	for at, l := range s.leaves { // a value filtered whole has leaves below
		if at != path && !strings.HasPrefix(at, path+".") {
			continue
		}
		same := at == path && v.Text == l.text
		if l.secret != "" {
			same = !strings.Contains(v.Text, l.secret)
		}
		if same {
			s.agreed++
		} else {
			s.differ[s.name+at] = true
		}
	}
}
