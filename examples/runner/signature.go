package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"
)

// signatureAge is how old a signature may be, and how far ahead the sender's clock.
const signatureAge = 5 * time.Minute

var errSignature = errors.New("the signature is missing, wrong or too old")

// checkSignature checks the header x-service-signature, t=<unix seconds>,v1=<hex>: v1 is the HMAC-SHA256 of <t>.<raw body>, keyed
// with the secret of the webhook. Call it before the body is parsed.
func checkSignature(header, secret string, body []byte, now time.Time) error {
	var seconds, signature string
	for part := range strings.SplitSeq(header, ",") {
		switch name, value, _ := strings.Cut(strings.TrimSpace(part), "="); name {
		case "t":
			seconds = value
		case "v1":
			signature = value
		}
	}
	sent, err := hex.DecodeString(signature)
	if err != nil {
		return errSignature
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(seconds + "."))
	mac.Write(body)
	if !hmac.Equal(sent, mac.Sum(nil)) { // in constant time
		return errSignature
	}
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || now.Sub(time.Unix(at, 0)).Abs() > signatureAge {
		return errSignature
	}
	return nil
}
