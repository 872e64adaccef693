package scrub

import "strings"

// provider is a kind of token with a known prefix: what follows the prefix is at least run bytes of chars.
type provider struct {
	prefix string
	run    int
	chars  *[256]bool
}

// providers are the tokens that their makers gave a prefix, so that scanners find them. The lengths are a little less
// than the real ones, for texts that were cut.
var providers = []provider{
	// Errand's own: tokens, setup keys, webhook secrets
	{"ck_", 40, base64URLSet}, {"cks_", 20, base64URLSet}, {"whsec_", 16, base64Set},
	// source control
	{"ghp_", 20, alnumSet}, {"gho_", 20, alnumSet}, {"ghu_", 20, alnumSet}, {"ghs_", 20, base64URLSet}, {"ghr_", 20, alnumSet},
	{"github_pat_", 20, base64URLSet}, {"glpat-", 16, bearerSet}, {"gldt-", 16, base64URLSet}, {"glrt-", 16, bearerSet},
	{"glptt-", 20, base64URLSet}, {"glcbt-", 16, base64URLSet}, {"glsoat-", 16, base64URLSet}, {"glft-", 16, base64URLSet},
	{"ATBB", 20, alnumSet}, {"ATATT3", 20, bearerSet},
	// package registries and builds
	{"npm_", 30, alnumSet}, {"pypi-", 40, base64URLSet}, {"rubygems_", 30, alnumSet}, {"dckr_pat_", 20, base64URLSet},
	{"oy2", 43, alnumSet}, {"sntrys_", 20, bearerSet}, {"sntryu_", 20, alnumSet}, {"NRAK-", 20, alnumSet}, {"pul-", 40, alnumSet},
	// clouds
	{"AKIA", 12, alnumSet}, {"ASIA", 12, alnumSet}, {"AIza", 30, base64URLSet}, {"ya29.", 16, bearerSet}, {"GOCSPX-", 20, base64URLSet},
	{"dop_v1_", 40, hexSet}, {"doo_v1_", 40, hexSet}, {"dor_v1_", 40, hexSet}, {"hvs.", 20, base64URLSet},
	{"hvb.", 20, base64URLSet}, {"pscale_tkn_", 20, bearerSet}, {"pscale_pw_", 20, bearerSet}, {"sbp_", 30, hexSet}, {"HRKU-", 30, base64URLSet},
	{"glsa_", 20, base64URLSet}, {"glc_", 30, base64Set}, {"figd_", 20, base64URLSet}, {"lin_api_", 20, alnumSet}, {"ntn_", 30, alnumSet},
	{"PMAK-", 20, base64URLSet}, {"tskey-", 16, base64URLSet}, {"AGE-SECRET-KEY-1", 20, alnumSet},
	// chat
	{"xoxa-", 10, base64URLSet}, {"xoxb-", 10, base64URLSet}, {"xoxp-", 10, base64URLSet}, {"xoxr-", 10, base64URLSet},
	{"xoxs-", 10, base64URLSet}, {"xoxe-", 10, base64URLSet}, {"xoxc-", 10, base64URLSet}, {"xoxd-", 10, escapedSet},
	{"xapp-", 10, base64URLSet},
	// money
	{"sk_live_", 10, alnumSet}, {"sk_test_", 10, alnumSet}, {"rk_live_", 10, alnumSet}, {"rk_test_", 10, alnumSet},
	{"sq0atp-", 16, base64URLSet}, {"sq0csp-", 16, base64URLSet}, {"EAAA", 40, base64URLSet}, {"shpat_", 20, hexSet},
	{"shpca_", 20, hexSet}, {"shppa_", 20, hexSet}, {"shpss_", 20, hexSet},
	// mail and telephones
	{"SG.", 30, bearerSet}, {"key-", 32, hexSet}, {"xkeysib-", 30, base64URLSet}, {"SK", 32, hexSet},
	// models
	{"sk-", 20, base64URLSet}, {"hf_", 25, alnumSet}, {"r8_", 30, alnumSet}, {"gsk_", 30, alnumSet}, {"xai-", 40, alnumSet}, {"pplx-", 30, alnumSet},
}

// triggerAt gives the place in the prefix at which the scan stops: a byte that is rare in texts.
func (p *provider) triggerAt() int {
	at := len(p.prefix) - 1
	if c := p.prefix[at]; c == '_' || c == '-' {
		return at
	}
	for i := 1; i < len(p.prefix); i++ {
		if c := p.prefix[i]; isUpper(c) && c != 'A' || isDigit(c) {
			return i
		}
	}
	return 1
}

// candidate is a provider to try where its trigger is.
type candidate struct {
	*provider
	at int
}

// The candidates for two bytes, the one before a trigger and the trigger: candidates[pairs[pairOf(a, b)]].
var pairs, candidates = func() (pairs [1 << 14]uint8, lists [][]candidate) {
	lists = [][]candidate{nil}
	for i := range providers {
		p := &providers[i]
		at := p.triggerAt()
		pair := pairOf(p.prefix[at-1], p.prefix[at])
		if pairs[pair] == 0 {
			pairs[pair] = uint8(len(lists))
			lists = append(lists, nil)
		}
		lists[pairs[pair]] = append(lists[pairs[pair]], candidate{p, at})
	}
	return pairs, lists
}()

func pairOf(first, second byte) int { return int(first&0x7F)<<7 | int(second&0x7F) }

// provider hides a provider's token whose prefix's trigger is at i.
func (m *masker) provider(i int) int {
	if i == 0 {
		return i + 1
	}
	n := pairs[pairOf(m.s[i-1], m.s[i])]
	if n == 0 {
		return i + 1
	}
	for _, p := range candidates[n] {
		start := i - p.at
		if start < m.done || !m.boundary(start) || !hasPrefixAt(m.s, start, p.prefix) {
			continue
		}
		body := start + len(p.prefix)
		end := runWithin(m.s, body, p.run+randomRun, p.chars)
		if end-body >= p.run && looksRandom(m.s[body:end]) {
			return m.hide(start, run(m.s, end, p.chars))
		}
	}
	return i + 1
}

// mayHaveBase64 is true for a text with a prefix before base64, of which + and / may leave short runs.
func mayHaveBase64(s string, dashes int) bool {
	return dashes > 0 && (strings.Contains(s, "whsec_") || strings.Contains(s, "glc_"))
}

func hasPrefixAt(s string, i int, prefix string) bool {
	return len(s)-i >= len(prefix) && s[i:i+len(prefix)] == prefix
}

// randomRun is how much of a token beyond its least length is looked at.
const randomRun = 16

// looksRandom is false for words, such as the name of a style that begins with sk-.
func looksRandom(s string) bool { return hasDigit(s) || hasUpper(s) }
