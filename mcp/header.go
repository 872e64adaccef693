package mcp

import (
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"
)

// findProblem finds what is wrong with a message and its headers; nil when nothing is, or when mcp-go says it as well.
func findProblem(header http.Header, body []byte) *messageProblem {
	if problem := checkMediaType(header); problem != nil {
		return problem
	}
	if problem := checkMessage(body); problem != nil {
		return problem
	}
	var sent sentMessage
	_ = json.Unmarshal(body, &sent) // it has been checked
	if problem := sent.checkVersion(header); problem != nil {
		return problem
	}
	return sent.refuseSubscription(header)
}

// checkMediaType refuses a body that is not said to be JSON.
func checkMediaType(header http.Header) *messageProblem {
	if mediaType, _, err := mime.ParseMediaType(header.Get("Content-Type")); err == nil && mediaType == "application/json" {
		return nil
	}
	return &messageProblem{code: protocol.INVALID_REQUEST, text: "the header Content-Type must be application/json"}
}

// sentMessage is what of a message is compared with its headers.
type sentMessage struct {
	ID     json.RawMessage
	Method protocol.MCPMethod
	Params struct {
		Meta *protocol.Meta `json:"_meta"`
	}
}

// version returns the version of the protocol that the message names, empty when it names none.
func (m sentMessage) version() string { return m.Params.Meta.ProtocolVersion() }

// checkVersion refuses a version of the protocol that is older than 2026-07-28 and unknown. Before initialize there is none
// to keep to; mcp-go refuses the newer ones, in JSON.
func (m sentMessage) checkVersion(header http.Header) *messageProblem {
	named := header.Get(protocol.HeaderProtocolVersion)
	isModern := protocol.IsModernProtocol(named) || protocol.IsModernProtocol(m.version())
	if named == "" || isModern || m.Method == protocol.MethodInitialize || slices.Contains(protocol.ValidProtocolVersions, named) {
		return nil
	}
	return &messageProblem{id: m.ID, code: protocol.INVALID_REQUEST,
		text: "the header " + protocol.HeaderProtocolVersion + " must be one of " + strings.Join(protocol.ValidProtocolVersions, ", ")}
}

// refuseSubscription refuses subscriptions/listen as the protocol of 2026-07-28 has it for a server that sends no
// notifications: an open stream would bring nothing. Where header and message disagree, mcp-go says so.
func (m sentMessage) refuseSubscription(header http.Header) *messageProblem {
	isListen := m.Method == protocol.MethodSubscriptionsListen && header.Get(protocol.HeaderMethod) == string(m.Method)
	named := header.Get(protocol.HeaderProtocolVersion)
	if !isListen || named != protocol.ProtocolVersion20260728 || m.version() != named {
		return nil
	}
	return &messageProblem{id: m.ID, code: protocol.METHOD_NOT_FOUND,
		text: string(m.Method) + " is not supported: the server sends no notifications"}
}
