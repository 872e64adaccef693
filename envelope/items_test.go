package envelope_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/envelope"
)

func TestTypeOfEvent(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string]string{
		`{"type":"feedback","contexts":{"feedback":{"message":"I like it"}}}`: "feedback",
		`{"type":"feedback"}`: "feedback",
		`{"contexts":{"feedback":{"message":"I like it"}},"level":"info"}`:                       "feedback",
		`{"contexts":{"feedback":{"message":"x"}},"exception":null}`:                             "feedback",
		`{"contexts":{"feedback":{"message":"x"}},"exception":{"values":[{"type":"A"}]}}`:        "event",
		`{"contexts":{"feedback":{"score":1}},"message":"an error"}`:                             "event",
		`{"contexts":{"feedback":{}}}`:                                                           "event",
		`{"message":"feedback"}`:                                                                 "event",
		`{"type":"error","tags":{"feedback":"x"}}`:                                               "event",
		`{"contexts":["feedback"]}`:                                                              "event",
		`{"contexts":{"feedback":"x"}}`:                                                          "event",
		`{"contexts":{"feedback":{"a":1}},"Message":"not a field of the protocol"}`:              "feedback",
		`{"Type":"feedback"}`:                                                                    "event",
		`{"type":["feedback"]}`:                                                                  "event",
		`{"type":"feedback"`:                                                                     "event",
		"\ufeff" + `{"type":"feedback"}`:                                                         "feedback",
		`{"type":"feedback","contexts":{"feedback":{"score":NaN}}}`:                              "feedback",
		"{\"contexts\":{\"feedback\":{\"message\":\"two\nlines\"}},\"extra\":{\"a\":-Infinity}}": "feedback",
		"{\"type\":\"feedback\",\"message\":\"not UTF-8: \xff, and \x00\"}":                      "feedback",
		"{\"contexts\":{\"feedback\":{\"message\":\"two\nlines\"}},\"exception\":{\"values\":[{\"type\":\"A\"}]}}": "event",
		`{"type":"transaction","transaction":"GET /a","spans":[]}`:                                                 "transaction",
		`{"transaction":"GET /a","contexts":{}, "type" : "transaction"}`:                                           "transaction",
		`{"type":"error","transaction":"transaction"}`:                                                             "event",
		`{"transaction":"transaction","tags":{"type":"transaction"}}`:                                              "event",
		`{"type":"transaction"`: "event",
		`"transaction"`:         "event",
		`"feedback"`:            "event",
		``:                      "event",
	} {
		t.Run(payload, func(t *testing.T) {
			require.Equal(t, want, envelope.TypeOfEvent([]byte(payload)))
		})
	}
}
