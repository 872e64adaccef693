package backup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"filippo.io/age"

	"errand/core"
)

// Keys are what an installation needs besides its database.
type Keys struct {
	EncryptionKeys core.Secret // ENCRYPTION_KEYS: without them the secrets of webhooks cannot be read
	AdminToken     core.Secret // ADMIN_TOKEN
}

// keysText is the form of the keys in the file.
type keysText struct {
	EncryptionKeys string `json:"ENCRYPTION_KEYS,omitempty"`
	AdminToken     string `json:"ADMIN_TOKEN,omitempty"`
}

// ErrPassphrase is the error of the wrong passphrase.
var ErrPassphrase = errors.New("the passphrase is not the one with which the backup was made")

// sealKeys encrypts the keys with a passphrase. The program age reads the result too.
func sealKeys(keys Keys, passphrase core.Secret) ([]byte, error) {
	recipient, err := age.NewScryptRecipient(passphrase.Reveal())
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(keysText{keys.EncryptionKeys.Reveal(), keys.AdminToken.Reveal()})
	if err != nil {
		return nil, err
	}
	var sealed bytes.Buffer
	w, err := age.Encrypt(&sealed, recipient)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	return sealed.Bytes(), err
}

func openKeys(sealed []byte, passphrase core.Secret) (Keys, error) {
	identity, err := age.NewScryptIdentity(passphrase.Reveal())
	if err != nil {
		return Keys{}, err
	}
	r, err := age.Decrypt(bytes.NewReader(sealed), identity)
	if _, isWrong := errors.AsType[*age.NoIdentityMatchError](err); isWrong {
		return Keys{}, ErrPassphrase
	}
	if err != nil {
		return Keys{}, fmt.Errorf("%w: the keys: %w", ErrBroken, err)
	}
	var text keysText
	plain, err := io.ReadAll(io.LimitReader(r, maxText))
	if err == nil {
		err = json.Unmarshal(plain, &text)
	}
	if err != nil {
		return Keys{}, fmt.Errorf("%w: the keys cannot be read", ErrBroken)
	}
	return Keys{core.Secret(text.EncryptionKeys), core.Secret(text.AdminToken)}, nil
}
