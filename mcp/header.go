package mcp

import (
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"strings"

	protocol "github.com/mark3labs/mcp-go/mcp"
)

// findProblem finds a fault of a message or its headers; nil when there is none, or when mcp-go reports it as well.
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

// checkMediaType refuses a body whose type is not JSON.
func checkMediaType(header http.Header) *messageProblem {
	if mediaType, _, err := mime.ParseMediaType(header.Get("Content-Type")); err == nil && mediaType == "application/json" {
		return nil
	}
	return &messageProblem{code: protocol.INVALID_REQUEST, text: "the header Content-Type must be application/json"}
}

// sentMessage is the part of a message that is compared with its headers.
type sentMessage struct {
	ID     json.RawMessage
	Method protocol.MCPMethod
	Params struct {
		Meta *protocol.Meta `json:"_meta"`
	}
}

// version returns the version of the protocol in the message; empty when there is none.
func (m sentMessage) version() string { return m.Params.Meta.ProtocolVersion() }

// checkVersion refuses an unknown version of the protocol that is older than 2026-07-28. Before initialize no version
// applies; mcp-go refuses unknown newer ones, in JSON.
func (m sentMessage) checkVersion(header http.Header) *messageProblem {
	named := header.Get(protocol.HeaderProtocolVersion)
	isModern := protocol.IsModernProtocol(named) || protocol.IsModernProtocol(m.version())
	if named == "" || isModern || m.Method == protocol.MethodInitialize || slices.Contains(protocol.ValidProtocolVersions, named) {
		return nil
	}
	return &messageProblem{id: m.ID, code: protocol.INVALID_REQUEST,
		text: "the header " + protocol.HeaderProtocolVersion + " must be one of " + strings.Join(protocol.ValidProtocolVersions, ", ")}
}

// refuseSubscription refuses subscriptions/listen in the way that the protocol of 2026-07-28 defines for a server without
// notifications, since an open stream would bring nothing. mcp-go reports a header that disagrees with the message.
func (m sentMessage) refuseSubscription(header http.Header) *messageProblem {
	isListen := m.Method == protocol.MethodSubscriptionsListen && header.Get(protocol.HeaderMethod) == string(m.Method)
	named := header.Get(protocol.HeaderProtocolVersion)
	if !isListen || named != protocol.ProtocolVersion20260728 || m.version() != named {
		return nil
	}
	return &messageProblem{id: m.ID, code: protocol.METHOD_NOT_FOUND,
		text: string(m.Method) + " is not supported: the server sends no notifications"}
}
