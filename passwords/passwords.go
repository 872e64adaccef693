// Package passwords keeps passwords as argon2id hashes. A hash names its own parameters, so that they can be raised: a hash with
// old parameters stays valid, and is replaced when its owner signs in.
package passwords

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/sync/semaphore"
)

// MaxBytes is how long a password may be (management API, 1.9).
const MaxBytes = 72

const (
	saltBytes = 16
	keyBytes  = 32
	// maxAtOnce bounds the memory: each hash takes Params.Memory. More hashes than processors are not faster together.
	maxAtOnce = 4
)

// Params are the cost of a hash.
type Params struct {
	Memory  uint32 // KiB
	Passes  uint32
	Threads uint8
}

// Recommended costs about 50 ms of one core (BenchmarkHash) and 36 MiB: twice OWASP's minimum for argon2id.
var Recommended = Params{Memory: 36 * 1024, Passes: 2, Threads: 1}

// maxParams bounds the work that a stored hash can cause.
var maxParams = Params{Memory: 256 * 1024, Passes: 16, Threads: 16}

// ErrBadHash says that a stored hash cannot be read.
var ErrBadHash = errors.New("passwords: the stored hash cannot be read")

// Hasher makes and checks hashes, as many at the same time as there are processors and at most four: others wait.
type Hasher struct {
	params Params
	random io.Reader
	turns  *semaphore.Weighted
	nobody string // the hash to check when there is no user
}

// New makes a hasher for hashes with these parameters.
func New(params Params) *Hasher {
	h := &Hasher{params: params, random: rand.Reader, turns: semaphore.NewWeighted(int64(min(maxAtOnce, runtime.GOMAXPROCS(0))))}
	h.nobody = encodeHash(params, make([]byte, saltBytes), make([]byte, keyBytes))
	return h
}

// Hash returns the hash of a password, such as "$argon2id$v=19$m=47104,t=1,p=1$<salt>$<key>". It waits for its turn until the
// context ends.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	if err := h.turns.Acquire(ctx, 1); err != nil {
		return "", err
	}
	defer h.turns.Release(1)
	salt := make([]byte, saltBytes)
	if _, err := io.ReadFull(h.random, salt); err != nil {
		return "", err
	}
	return encodeHash(h.params, salt, deriveKey(password, salt, h.params)), nil
}

// Result is the outcome of checking a password.
type Result struct {
	Matches  bool
	Outdated bool // the hash was made with other parameters: replace it
}

// Check compares a password with a hash. An empty hash matches nothing, and takes as long, so that the time does not reveal
// whether the user exists. It waits for its turn until the context ends.
func (h *Hasher) Check(ctx context.Context, hash, password string) (Result, error) {
	isNobody := hash == ""
	if isNobody {
		hash = h.nobody
	}
	params, salt, key, err := decodeHash(hash)
	if err != nil {
		return Result{}, err
	}
	if err := h.turns.Acquire(ctx, 1); err != nil {
		return Result{}, err
	}
	defer h.turns.Release(1)
	matches := subtle.ConstantTimeCompare(deriveKey(password, salt, params), key) == 1
	return Result{Matches: matches && !isNobody, Outdated: params != h.params}, nil
}

// MatchesAny reports whether a password matches one of the hashes; empty ones match nothing, and take no time.
func (h *Hasher) MatchesAny(ctx context.Context, hashes []string, password string) (bool, error) {
	for _, hash := range hashes {
		if hash == "" {
			continue
		}
		if result, err := h.Check(ctx, hash, password); err != nil || result.Matches {
			return result.Matches, err
		}
	}
	return false, nil
}

// deriveKey returns the key of a password. The memory for it goes back to the system at once: the garbage collector would leave that
// of several keys, so that strangers who try passwords could multiply the memory of the server.
func deriveKey(password string, salt []byte, p Params) []byte {
	key := argon2.IDKey([]byte(password), salt, p.Passes, p.Memory, p.Threads, keyBytes)
	if p.Memory >= Recommended.Memory {
		debug.FreeOSMemory()
	}
	return key
}

// encodeHash writes a hash in the form of the argon2 reference implementation.
func encodeHash(p Params, salt, key []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.Memory, p.Passes, p.Threads,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key))
}

func decodeHash(hash string) (p Params, salt, key []byte, err error) {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return p, nil, nil, ErrBadHash
	}
	if _, err = fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &p.Memory, &p.Passes, &p.Threads); err != nil {
		return p, nil, nil, ErrBadHash
	}
	if p.Memory > maxParams.Memory || p.Passes > maxParams.Passes || p.Threads > maxParams.Threads || p.Passes < 1 || p.Threads < 1 {
		return p, nil, nil, ErrBadHash
	}
	if salt, err = base64.RawStdEncoding.DecodeString(parts[4]); err != nil {
		return p, nil, nil, ErrBadHash
	}
	if key, err = base64.RawStdEncoding.DecodeString(parts[5]); err != nil || len(key) != keyBytes {
		return p, nil, nil, ErrBadHash
	}
	return p, salt, key, nil
}
