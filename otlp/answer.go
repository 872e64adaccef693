package otlp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"errand/core"
)

// ContentType is the media type of the encoding.
func (e Encoding) ContentType() string {
	if e == JSON {
		return "application/json"
	}
	return "application/x-protobuf"
}

// WriteAnswer writes the answer to an accepted export request. It is empty unless something was rejected. The messages of the
// signals differ only in the name of the count. They are written by hand, because the generated ones depend on gRPC.
func (e Encoding) WriteAnswer(signal string, rejected int, reason string) []byte {
	if rejected > 0 {
		reason = fmt.Sprintf("%d exceptions were not taken: %s", rejected, reason)
	}
	if e == JSON {
		if rejected == 0 {
			return []byte("{}")
		}
		partial := map[string]string{rejectedNames[signal]: strconv.Itoa(rejected), "errorMessage": reason}
		return mustMarshal(map[string]any{"partialSuccess": partial})
	}
	if rejected == 0 {
		return nil
	}
	const partialSuccess = 1
	return protowire.AppendBytes(protowire.AppendTag(nil, partialSuccess, protowire.BytesType), numberAndText(uint64(rejected), reason))
}

var rejectedNames = map[string]string{
	"traces": "rejectedSpans", "logs": "rejectedLogRecords", "metrics": "rejectedDataPoints",
}

// numberAndText writes the two fields of the partial success of each signal, and also of a google.rpc.Status.
func numberAndText(n uint64, text string) []byte {
	b := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), n)
	return protowire.AppendString(protowire.AppendTag(b, 2, protowire.BytesType), text)
}

// WriteStatus writes the answer to a request that failed, a google.rpc.Status. In JSON it also has error, the code of Errand's
// errors.
func (e Encoding) WriteStatus(failure *core.Error, message string) []byte {
	code := statusCodes[failure.Status()]
	if e == JSON {
		return mustMarshal(map[string]any{"code": code, "message": message, "error": failure.Code})
	}
	return numberAndText(uint64(code), message)
}

// statusCodes are the codes of google.rpc.Code by HTTP status.
var statusCodes = map[int]int{
	http.StatusBadRequest:            3,  // INVALID_ARGUMENT
	http.StatusUnauthorized:          16, // UNAUTHENTICATED
	http.StatusForbidden:             7,  // PERMISSION_DENIED
	http.StatusNotFound:              5,  // NOT_FOUND
	http.StatusMethodNotAllowed:      12, // UNIMPLEMENTED
	http.StatusRequestEntityTooLarge: 8,  // RESOURCE_EXHAUSTED
	http.StatusUnsupportedMediaType:  3,
	http.StatusTooManyRequests:       8,
	http.StatusInternalServerError:   13, // INTERNAL
	http.StatusServiceUnavailable:    14, // UNAVAILABLE
}

// mustMarshal is for values that JSON can write.
func mustMarshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
