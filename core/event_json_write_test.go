package core

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func newObject(pairs ...string) Value {
	v := Value{Kind: Object}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Kids = append(v.Kids, Member{pairs[i], StringValue(pairs[i+1])})
	}
	return v
}

// realEvent is an event as a web application sends it: about 7 KB when stored.
func realEvent() *Event {
	handled := false
	e := &Event{
		EventID: "fc6d8c0c43fc4630ad850ee518f1b9d0", Timestamp: At(clock()), ReceivedAt: At(clock().Add(time.Second)),
		Platform: "python", Level: "error", Logger: "shop.checkout", Title: "PaymentError: card \"1234\" was declined",
		Culprit: "shop.payments in charge", Message: "Payment of 42.10 € failed", Transaction: "/checkout/{id}", Release: "shop@2026.1.3+5",
		Dist: "5", Environment: "production", ServerName: "web-3",
		User: newObject("id", "1001", "email", "ada@example.com", "ip_address", "192.0.2.7"),
		Request: &Request{
			Method: "POST", URL: "https://shop.example/checkout/99", Query: newObject("step", "pay"),
			Headers: newObject("Accept", "text/html,application/xhtml+xml", "User-Agent",
				"Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/146.0",
				"Content-Type", "application/json", "Authorization", "[Filtered]"),
			Cookies: newObject("session", "[Filtered]"), Data: newObject("amount", "42.10", "currency", "EUR"),
		},
		Tags: newObject("server", "web-3", "region", "eu-west", "runtime", "CPython 3.14.1"),
		Contexts: Value{Kind: Object, Kids: []Member{{"runtime", newObject("name", "CPython", "version", "3.14.1")},
			{"os", newObject("name", "Linux")}}},
		Extra:    Value{Kind: Object, Kids: []Member{{"attempt", Value{Kind: Number, Text: "3"}}, {"retry", Value{Kind: Bool, Text: "true"}}}},
		SDK:      SDK{"sentry.python", "3.1.0"},
		Problems: List[Problem]{{"extra.payload", "cut to 8 KB"}},
	}
	frames := make(List[Frame], 12)
	for i := range frames {
		frames[i] = Frame{
			Function: Untrusted(fmt.Sprintf("handle_step_%d", i)), Module: "shop.payments", Filename: "shop/payments.py",
			AbsPath: "/srv/shop/releases/current/shop/payments.py", Lineno: OptInt(100 + i), InApp: i < 4,
			ContextLine: "    result = gateway.charge(card, amount, currency=order.currency)",
		}
		if i < 3 {
			frames[i].PreContext = List[Untrusted]{"def charge(order, card):", "    amount = order.total()", "    if not card.valid():",
				"        raise ValueError(\"card\")", ""}
			frames[i].PostContext = List[Untrusted]{"    if result.declined:", "        raise PaymentError(f'card \"{card.last4}\" was declined')",
				"    return result.id", "", ""}
			frames[i].Vars = newObject("order", "<Order 99 of <User 1001>>", "amount", "Decimal('42.10')", "card", "[Filtered]", "attempt", "3")
		}
	}
	e.Exceptions = List[Exception]{{Type: "PaymentError", Value: "card \"1234\" was declined", Module: "shop.errors",
		Mechanism: &Mechanism{Type: "wsgi", Handled: &handled}, Frames: frames}}
	for i := range 10 {
		e.Breadcrumbs = append(e.Breadcrumbs, Breadcrumb{Timestamp: At(clock().Add(time.Duration(i-10) * time.Second)), Type: "http",
			Category: "httplib",
			Level:    "info", Data: newObject("url", "https://bank.example/v1/charges", "method", "POST", "status_code", "402")})
	}
	return e
}

func TestEventRoundTrip(t *testing.T) {
	t.Parallel()
	want := realEvent()
	text := want.AppendJSON(nil)
	require.InDelta(t, 7_000, len(text), 1_000, "it is what the benchmark says that it is")
	got, err := ReadEvent(text)
	require.NoError(t, err)
	require.Equal(t, *want, got)

	require.Equal(t, "["+string(text), string(want.AppendJSON([]byte("["))), "it appends")
	require.Equal(t, "{}", string((&Event{}).AppendJSON(nil)), "what is empty is not stored")
}

// A field that is added to Event and forgotten in AppendJSON fails this test.
func TestEventStoresEveryField(t *testing.T) {
	t.Parallel()
	want := filler{full: true}.newValue(reflect.TypeFor[Event]()).Interface().(Event)
	got, err := ReadEvent(want.AppendJSON(nil))
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// Members that only steer the pipeline are not stored: Identity is a person's name, in the clear.
func TestEventLeavesOutWhatIsNotStored(t *testing.T) {
	t.Parallel()
	id := int64(1)
	e := Event{EventID: "a", Template: "hunter2 %s", Identity: "hunter2", Report: &Report{ReportCSP, "hunter2", "hunter2"},
		Exceptions: List[Exception]{{Mechanism: &Mechanism{Synthetic: true, IsGroup: true, ExceptionID: &id, ParentID: &id}}}}
	require.Equal(t, `{"event_id":"a","exceptions":[{"mechanism":{}}]}`, string(e.AppendJSON(nil)))
	whole, err := json.Marshal(e)
	require.NoError(t, err)
	require.NotContains(t, string(whole), "hunter2")
}

// anyEvent generates events, each part present or absent, without the members that are not stored.
func anyEvent() *rapid.Generator[Event] {
	text := rapid.OneOf(rapid.Just(""), rapid.StringN(0, 12, -1))
	nothing := func(v any) *rapid.Generator[any] { return rapid.Just(v) }
	stored := anyValue(2).Filter(func(v Value) bool { return !v.IsEmpty() || v.Kind == Null })
	return rapid.MakeCustom[Event](rapid.MakeConfig{
		Types: map[reflect.Type]*rapid.Generator[any]{
			reflect.TypeFor[Value]():     stored.AsAny(),
			reflect.TypeFor[string]():    text.AsAny(),
			reflect.TypeFor[Untrusted](): rapid.Map(text, func(s string) Untrusted { return Untrusted(s) }).AsAny(),
			reflect.TypeFor[Time](): rapid.Map(rapid.Int64Range(0, 1<<42), func(ms int64) Time {
				if ms == 0 {
					return Time{}
				}
				return At(time.UnixMilli(ms))
			}).AsAny(),
			reflect.TypeFor[List[Frame]]():      fewOf[Frame](text, stored),
			reflect.TypeFor[List[Breadcrumb]](): fewOf[Breadcrumb](text, stored),
		},
		Fields: map[reflect.Type]map[string]*rapid.Generator[any]{
			reflect.TypeFor[Event](): {"Template": nothing(""), "Identity": nothing(""), "Report": nothing((*Report)(nil))},
			reflect.TypeFor[Mechanism](): {"Synthetic": nothing(false), "IsGroup": nothing(false),
				"ExceptionID": nothing((*int64)(nil)), "ParentID": nothing((*int64)(nil))},
		},
	})
}

// fewOf generates short lists of the event's large parts.
func fewOf[T any](text *rapid.Generator[string], value *rapid.Generator[Value]) *rapid.Generator[any] {
	one := rapid.MakeCustom[T](rapid.MakeConfig{Types: map[reflect.Type]*rapid.Generator[any]{
		reflect.TypeFor[Value]():     value.AsAny(),
		reflect.TypeFor[Untrusted](): rapid.Map(text, func(s string) Untrusted { return Untrusted(s) }).AsAny(),
		reflect.TypeFor[Time]():      rapid.Just(At(clock())).AsAny(),
	}})
	return rapid.Map(rapid.SliceOfN(one, 0, 2), func(items []T) List[T] { return items }).AsAny()
}

// The stored form is the JSON of the struct tags without empty members, and reading it makes an equal event.
func TestEventJSONMeansTheSameAsTheStandardOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := anyEvent().Draw(t, "event")
		stored := e.AppendJSON(nil)
		standard, err := json.Marshal(e)
		require.NoError(t, err)
		require.True(t, json.Valid(stored), "%s", stored)
		require.Equal(t, pruneEmpty(t, standard), pruneEmpty(t, stored))

		back, err := ReadEvent(stored)
		require.NoError(t, err)
		again, err := json.Marshal(back)
		require.NoError(t, err)
		require.Equal(t, string(standard), string(again))
	})
}

func TestEventIsMeasuredAsReadersGetIt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := anyEvent().Draw(t, "event")
		for _, text := range []string{"", "<&>", "a\u2028b\u2029", "\b\f\x00\x1f\x7f"} {
			e.Message = Untrusted(text)
			e.Problems = append(e.Problems, Problem{Reason: text})
			whole, err := MarshalPlain(e)
			require.NoError(t, err)
			require.Equal(t, len(whole), e.MeasureJSON(nil))
		}
	})
}

// pruneEmpty reads JSON and drops the empty members of objects.
func pruneEmpty(t require.TestingT, text []byte) any {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	require.NoError(t, dec.Decode(&v))
	var prune func(v any) any
	prune = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for name, kid := range v {
				kid = prune(kid)
				v[name] = kid
				if k := reflect.ValueOf(kid); kid == nil || k.IsZero() || (k.Kind() == reflect.Map || k.Kind() == reflect.Slice) && k.Len() == 0 {
					delete(v, name)
				}
			}
		case []any:
			for i := range v {
				v[i] = prune(v[i])
			}
		}
		return v
	}
	return prune(v)
}

func TestEventWithBytesThatAreNoText(t *testing.T) {
	t.Parallel()
	const bad = "a\xff\xc3b\xed\xa0\x80\x00\x1f"
	const good = "a\ufffd\ufffdb\ufffd\ufffd\ufffd\x00\x1f"
	e := Event{EventID: bad, Title: bad, Fingerprint: List[Untrusted]{bad}, Tags: newObject(bad, bad), Problems: List[Problem]{{bad, bad}},
		Exceptions: List[Exception]{{Type: bad, Frames: List[Frame]{{Function: bad, PreContext: List[Untrusted]{bad},
			Vars: newObject("k", bad)}}}}}
	text := e.AppendJSON(nil)
	require.True(t, utf8.Valid(text) && json.Valid(text), "%q", text)
	got, err := ReadEvent(text)
	require.NoError(t, err)
	require.Equal(t, Event{EventID: good, Title: good, Fingerprint: List[Untrusted]{good}, Tags: newObject(good, good),
		Problems: List[Problem]{{good, good}},
		Exceptions: List[Exception]{{Type: good, Frames: List[Frame]{{Function: good, PreContext: List[Untrusted]{good},
			Vars: newObject("k", good)}}}}}, got)
}

// The texts look like the brackets that decide where the writer puts its commas.
func TestEventWithBracketsInItsTexts(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"{", "[", `{"`, "},{", "\\[", strings.Repeat("[{", 50)} {
		e := Event{Fingerprint: List[Untrusted]{Untrusted(s), "", Untrusted(s)}, Tags: newObject(s, s, s+"2", s), Title: Untrusted(s),
			Culprit: Untrusted(s)}
		got, err := ReadEvent(e.AppendJSON(nil))
		require.NoError(t, err, s)
		require.Equal(t, e, got)
	}
}

func BenchmarkEventAppendJSON(b *testing.B) {
	e := realEvent()
	buf := e.AppendJSON(nil)
	b.SetBytes(int64(len(buf)))
	b.ReportAllocs()
	for b.Loop() {
		buf = e.AppendJSON(buf[:0])
	}
}
