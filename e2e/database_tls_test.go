//go:build e2e

package e2e

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// authority signs certificates for a test, in a folder.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, dir: newDir(t)}
	a.cert, a.key = a.sign("ca", &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	return a
}

// path returns the file of a certificate (.crt) or key (.key).
func (a *authority) path(file string) string { return filepath.Join(a.dir, file) }

// sign makes a certificate with the name as its common name, and writes it with its key.
func (a *authority) sign(name string, template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(a.t, err)
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.Subject = pkix.Name{CommonName: name}
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	require.NoError(a.t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(a.t, err)
	for file, block := range map[string]*pem.Block{
		name + ".crt": {Type: "CERTIFICATE", Bytes: der}, name + ".key": {Type: "PRIVATE KEY", Bytes: keyDER},
	} {
		require.NoError(a.t, os.WriteFile(a.path(file), pem.EncodeToMemory(block), 0o600))
	}
	cert, err := x509.ParseCertificate(der)
	require.NoError(a.t, err)
	return cert, key
}

// startTLSPostgres starts a Postgres on loopback that lets in who comes with TLS and a certificate for the role errand.
func startTLSPostgres(t *testing.T, a *authority) (port int) {
	t.Helper()
	dir := newDir(t)
	made := startPostgres(t, dir)
	data := filepath.Join(dir, "postgres")
	started, err := os.ReadFile(filepath.Join(data, "postmaster.opts"))
	require.NoError(t, err)
	program, _, _ := strings.Cut(string(started), " ")
	require.NoError(t, made.Stop(context.Background()))

	require.NoError(t, os.WriteFile(a.path("hba"), []byte("hostssl errand errand 127.0.0.1/32 cert\n"), 0o644))
	owner := findOwner(t, data)
	for _, file := range []string{"server.crt", "server.key", "ca.crt"} {
		require.NoError(t, os.Chown(a.path(file), int(owner.Uid), int(owner.Gid)))
	}
	port = freePort(t)
	cmd := exec.Command(program, "-D", data, "-k", data, "-h", "127.0.0.1", "-p", fmt.Sprint(port), "-c", "ssl=on",
		"-c", "ssl_cert_file="+a.path("server.crt"), "-c", "ssl_key_file="+a.path("server.key"), "-c", "ssl_ca_file="+a.path("ca.crt"),
		"-c", "hba_file="+a.path("hba"))
	runAs(owner, cmd)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGINT)
		_ = cmd.Wait()
	})
	return port
}

// TestDatabaseByTLS starts servers on a Postgres that wants TLS and a certificate of its clients.
func TestDatabaseByTLS(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	a.sign("server", &x509.Certificate{DNSNames: []string{"localhost"}})
	a.sign("errand", &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	port := startTLSPostgres(t, a)
	database := func(host, query string) string {
		return fmt.Sprintf("DATABASE_URL=postgres://errand@%s:%d/errand?%s&sslrootcert=%s", host, port, query, a.path("ca.crt"))
	}
	client := fmt.Sprintf("&sslcert=%s&sslkey=%s", a.path("errand.crt"), a.path("errand.key"))

	s := startServerOn(t, newDir(t), database("localhost", "sslmode=verify-full"+client))
	s.makeProject("Shop")

	for _, c := range []struct{ host, query, says string }{
		{"127.0.0.1", "sslmode=verify-full" + client, "127.0.0.1"}, // the certificate names localhost alone
		{"localhost", "sslmode=verify-full", "certificate"},        // none of the client
		{"localhost", "sslmode=disable", "no encryption"},
	} {
		cmd := errandCommand(t, newDir(t), []string{database(c.host, c.query), "DATABASE_WAIT=0s"}, "serve", "--addr", "127.0.0.1:0")
		out, err := cmd.CombinedOutput()
		require.Error(t, err, c.query)
		require.Contains(t, string(out), c.says, c.query)
	}
}
