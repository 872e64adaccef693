//go:build e2e

package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOpenAPIDocumentsAreValid runs a third-party validator on the documents of a running server.
func TestOpenAPIDocumentsAreValid(t *testing.T) {
	s := startServer(t)
	for _, path := range []string{"/v1/openapi.json", "/api/v1/openapi.json"} {
		var document json.RawMessage
		require.Equal(t, http.StatusOK, s.callAPI(adminToken, http.MethodGet, path, "", &document))
		file := filepath.Join(t.TempDir(), "openapi.json")
		require.NoError(t, os.WriteFile(file, document, 0o600))

		out, err := exec.Command(python, "-m", "openapi_spec_validator", "--schema", "3.1", file).CombinedOutput()

		require.NoError(t, err, "%s: %s", path, out)
		require.Contains(t, string(out), "OK")
	}
}
