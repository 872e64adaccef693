package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"errand/core"
	"errand/store"
)

// adminTokenFile is where the generated ADMIN_TOKEN is kept in DATA_DIR.
const adminTokenFile = "admin-token"

// adminToken gives the generated ADMIN_TOKEN of a private installation, and whether it was made just now.
func adminToken(dataDir string) (token core.Secret, fresh bool, err error) {
	path := filepath.Join(dataDir, adminTokenFile)
	text, err := os.ReadFile(path)
	switch {
	case err == nil && len(strings.TrimSpace(string(text))) >= minAdminToken:
		return core.Secret(strings.TrimSpace(string(text))), false, nil
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

// writeSecret writes the file whole or not at all, readable by its owner only.
func writeSecret(path string, secret core.Secret) error {
	temp := path + ".new"
	if err := os.WriteFile(temp, []byte(secret.Reveal()+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

// userHashKey gives the key of the hashes of users, which the whole installation shares.
func userHashKey(ctx context.Context, s *store.Store) ([]byte, error) {
	fresh := make([]byte, 32)
	if _, err := rand.Read(fresh); err != nil {
		return nil, err
	}
	return s.InstallSecret(ctx, "user-hash", fresh)
}
