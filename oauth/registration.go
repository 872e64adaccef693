package oauth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"errand/core"
)

const (
	maxRegistration = 64 << 10 // bytes of the body
	maxClientName   = 80       // characters
	unnamedClient   = "an agent"
	clientPrefix    = "client_"
)

// registration is a client's description of itself (RFC 7591). Other members are not used, and accepted without an error.
type registration struct {
	Redirects []string `json:"redirect_uris"`
	Name      string   `json:"client_name"`
}

// registered is the answer to a registration.
type registered struct {
	ClientID     string   `json:"client_id"`
	IssuedAt     int64    `json:"client_id_issued_at"`
	Name         string   `json:"client_name"`
	Redirects    []string `json:"redirect_uris"`
	GrantTypes   []string `json:"grant_types"`
	ResponseType []string `json:"response_types"`
	AuthMethod   string   `json:"token_endpoint_auth_method"`
}

func (s *server) serveRegister(w http.ResponseWriter, r *http.Request) {
	if !allowMethod(w, r, http.MethodPost) {
		return
	}
	client, err := readRegistration(w, r)
	if err != nil {
		code := "invalid_client_metadata"
		if errors.Is(err, errRedirect) {
			code = "invalid_redirect_uri"
		}
		writeJSON(w, http.StatusBadRequest, failure{code, err.Error()})
		return
	}
	id, err := s.signClient(client)
	if err != nil {
		s.writeFailure(w, r, "oauth registration", err)
		return
	}
	writeJSON(w, http.StatusCreated, registered{
		ClientID: id, IssuedAt: s.Clock().Unix(), Name: client.Name, Redirects: client.Redirects, GrantTypes: []string{grantType},
		ResponseType: []string{"code"}, AuthMethod: "none",
	})
}

var errRedirect = errors.New("redirect_uris")

// readRegistration reads and checks a client's description of itself.
func readRegistration(w http.ResponseWriter, r *http.Request) (client registration, err error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRegistration))
	if err != nil {
		return client, fmt.Errorf("the body must be sent to its end, and have at most %d bytes", maxRegistration)
	}
	if err := json.Unmarshal(body, &client); err != nil || !utf8.Valid(body) {
		return client, errors.New("the body must be a JSON object with redirect_uris, a list of URIs, and client_name, a text")
	}
	client.Name = cleanName(client.Name)
	if len(client.Redirects) == 0 || len(client.Redirects) > maxRedirects {
		return client, fmt.Errorf("%w: 1 to %d must be named", errRedirect, maxRedirects)
	}
	length := 0
	for _, redirect := range client.Redirects {
		if err := checkRedirect(redirect); err != nil {
			return client, fmt.Errorf("%w: %w", errRedirect, err)
		}
		length += len(redirect)
	}
	if length > maxRedirectsBytes {
		return client, fmt.Errorf("%w: at most %d bytes in all are taken", errRedirect, maxRedirectsBytes)
	}
	return client, nil
}

// cleanName cleans a client's name for a list of tokens.
func cleanName(name string) string {
	printable := strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return -1
	}, strings.ToValidUTF8(name, ""))
	words := []rune(strings.Join(strings.Fields(printable), " "))
	if len(words) > maxClientName {
		words = words[:maxClientName]
	}
	if len(words) == 0 {
		return unnamedClient
	}
	return string(words)
}

// signClient makes the id of a client: its registration and a signature.
func (s *server) signClient(client registration) (string, error) {
	text, err := core.MarshalPlain(client)
	if err != nil {
		return "", err
	}
	return clientPrefix + encodeText(text) + "." + encodeText(s.makeSignature(text)), nil
}

// openClient returns the registration in a client's id, if this installation signed it.
func (s *server) openClient(id string) (client registration, isOurs bool) {
	rest, hasPrefix := strings.CutPrefix(id, clientPrefix)
	encoded, encodedSignature, hasSignature := strings.Cut(rest, ".")
	text, errText := base64.RawURLEncoding.DecodeString(encoded)
	signature, errSignature := base64.RawURLEncoding.DecodeString(encodedSignature)
	if !hasPrefix || !hasSignature || errText != nil || errSignature != nil || !hmac.Equal(signature, s.makeSignature(text)) {
		return client, false
	}
	return client, json.Unmarshal(text, &client) == nil
}

func (s *server) makeSignature(text []byte) []byte {
	mac := hmac.New(sha256.New, s.Key)
	mac.Write(text)
	return mac.Sum(nil)
}

func encodeText(text []byte) string { return base64.RawURLEncoding.EncodeToString(text) }
