package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"errand/core"
	"errand/store"
)

// adminTokenFile is the file in DATA_DIR with the generated ADMIN_TOKEN.
const adminTokenFile = "admin-token"

// The requirements for ADMIN_TOKEN and SCM_WEBHOOK_SECRET, so that no guess opens the deployment. Random text meets them,
// aaaaaaaaaaaaaaaa does not.
const (
	minAdminToken      = 16 // characters
	minAdminCharacters = 6  // different ones
)

// checkStrength returns what a secret lacks to be hard to guess, such as "have at least 16 characters". The error contains no part of
// the secret.
func checkStrength(secret string) error {
	different := map[rune]bool{}
	for _, r := range secret {
		different[r] = true
	}
	switch {
	case utf8.RuneCountInString(secret) < minAdminToken:
		return fmt.Errorf("have at least %d characters", minAdminToken)
	case len(different) < minAdminCharacters:
		return fmt.Errorf("have at least %d different characters, or it is easily guessed: openssl rand -hex 24 prints a good one",
			minAdminCharacters)
	}
	return nil
}

// loadAdminToken returns the generated ADMIN_TOKEN of a private installation, and whether it has just been made.
func loadAdminToken(dataDir string) (token core.Secret, isNew bool, err error) {
	path := filepath.Join(dataDir, adminTokenFile)
	text, err := readSecret(path)
	switch {
	case err == nil && checkStrength(text) == nil:
		return core.Secret(text), false, nil
	case err == nil:
		return "", false, fmt.Errorf("%s holds no token: delete the file to have one made, or set ADMIN_TOKEN", path)
	case !errors.Is(err, os.ErrNotExist):
		return "", false, fmt.Errorf("the admin token: %w", err)
	}
	token = core.Secret(rand.Text() + rand.Text())
	if err := writeSecret(path, token); err != nil {
		return "", false, fmt.Errorf("the admin token: %w", err)
	}
	return token, true, nil
}

// readSecret reads a file that nobody else can have put there.
func readSecret(path string) (string, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would block the start
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil {
		err = checkOwner(path, info)
	}
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(file, 4096))
	return strings.TrimSpace(string(text)), err
}

// writeSecret writes the complete file or nothing, readable only by its owner. It replaces the remains of an interrupted
// start and never writes into them: somebody could have the file open, or it could be a link to a file elsewhere.
func writeSecret(path string, secret core.Secret) error {
	temp := path + ".new"
	switch info, err := os.Lstat(temp); {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return err
	default:
		if err := checkOwner(temp, info); err != nil {
			return err
		}
		if err := os.Remove(temp); err != nil {
			return err
		}
	}
	file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(secret.Reveal() + "\n")
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return os.Rename(temp, path)
}

// checkOwner refuses a file whose owner is neither this process's user nor root. Root may also read what belongs to the owner of
// the data folder, as commands at the console of a server that another user runs.
func checkOwner(path string, info os.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file: delete it", path)
	}
	owner, ok := ownerOf(info)
	if !ok || owner == 0 || owner == os.Geteuid() {
		return nil
	}
	if folder, err := os.Stat(filepath.Dir(path)); err == nil && os.Geteuid() == 0 {
		if of, ok := ownerOf(folder); ok && of == owner {
			return nil
		}
	}
	return fmt.Errorf("%s belongs to another user (uid %d), who can read and change it: delete it, or give it to the user that "+
		"runs Errand", path, owner)
}

// ownerOf returns the id of the user that a file belongs to, where files have one.
func ownerOf(info os.FileInfo) (id int, ok bool) {
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(owner.Uid), true
}

// ensureKey returns the installation's key with the name, 32 random bytes. All servers of the installation have the same.
func ensureKey(ctx context.Context, s *store.Store, name string) ([]byte, error) {
	generated := make([]byte, 32)
	if _, err := rand.Read(generated); err != nil {
		return nil, err
	}
	return s.EnsureSecret(ctx, name, generated)
}
