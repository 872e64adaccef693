package app

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"errand/core"
)

// GivenPassphrase is the passphrase that encrypts the keys in a backup.
type GivenPassphrase struct {
	PassphraseFile   string      `placeholder:"FILE" help:"${help_passphrase_file}"`
	BackupPassphrase core.Secret `name:"passphrase" hidden:"" env:"BACKUP_PASSPHRASE" help:"The passphrase itself; only in the environment."`
}

// minPassphrase is the shortest passphrase, in bytes.
const minPassphrase = 12

// readPassphrase returns the passphrase; empty when none is given.
func (g GivenPassphrase) readPassphrase() (core.Secret, error) {
	text := g.BackupPassphrase.Reveal()
	if g.PassphraseFile != "" {
		file, err := os.Open(g.PassphraseFile)
		if err != nil {
			return "", fmt.Errorf("--passphrase-file: %w", err)
		}
		defer file.Close()
		content, err := io.ReadAll(io.LimitReader(file, 4096))
		if err != nil {
			return "", fmt.Errorf("--passphrase-file: %w", err)
		}
		if text = strings.TrimSpace(string(content)); text == "" {
			return "", errors.New("--passphrase-file: the file is empty")
		}
	}
	if text != "" && len(text) < minPassphrase {
		return "", fmt.Errorf("the passphrase must have at least %d characters: openssl rand -base64 24 prints a good one", minPassphrase)
	}
	return core.Secret(text), nil
}
