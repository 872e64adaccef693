package wire_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/wire"
)

func TestWriteCompressed(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("an error of the cart ", 200)
	for accepted, isCompressed := range map[string]bool{
		"gzip": true, "gzip, deflate, br": true, "br;q=1.0, GZIP;q=0.8": true, "": false, "br": false, "gzip;q=0": false, "gzip;q=0.0": false,
	} {
		for _, text := range []string{long, "short"} {
			for name, write := range map[string]func(http.ResponseWriter, *http.Request){
				"once": func(w http.ResponseWriter, r *http.Request) {
					wire.WriteCompressed(w, r, http.StatusOK, "text/plain", []byte(text))
				},
				"often": func(w http.ResponseWriter, r *http.Request) {
					wire.CompressBody([]byte(text)).Write(w, r, http.StatusOK, "text/plain")
				},
			} {
				request, answer := httptest.NewRequest(http.MethodGet, "/", nil), httptest.NewRecorder()
				request.Header.Set("Accept-Encoding", accepted)

				write(answer, request)

				require.Equal(t, "Accept-Encoding", answer.Header().Get("Vary"))
				require.Equal(t, strconv.Itoa(answer.Body.Len()), answer.Header().Get("Content-Length"))
				if !isCompressed || text == "short" {
					require.Empty(t, answer.Header().Get("Content-Encoding"), "%s of %q", name, accepted)
					require.Equal(t, text, answer.Body.String())
					continue
				}
				require.Equal(t, "gzip", answer.Header().Get("Content-Encoding"), "%s of %q", name, accepted)
				reader, err := gzip.NewReader(answer.Body)
				require.NoError(t, err)
				read, err := io.ReadAll(reader)
				require.NoError(t, err)
				require.Equal(t, text, string(read))
			}
		}
	}
}
