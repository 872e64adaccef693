package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/stretchr/testify/require"

	"errand/core"
)

// FuzzReadInput checks that any request becomes either arguments or an error for the client.
func FuzzReadInput(f *testing.F) {
	f.Add("42", "status=resolved&limit=5", `{"minutes": 5}`)
	f.Add("a%2Fb", "id=1&id=2", `{"id": 1}`)
	f.Add("%00", "%ff=%zz;", "\xff")
	f.Fuzz(func(t *testing.T, id, query, body string) {
		for _, op := range []*core.Operation{core.ClaimIssue.Operation, core.ListIssueEvents.Operation, core.CreateToken.Operation} {
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
			r.URL.RawQuery = query
			r.SetPathValue("id", id)
			args, err := readInput(op, humachi.NewContext(&huma.Operation{}, r, httptest.NewRecorder()))
			if err != nil {
				require.True(t, core.HasCode(err, core.InvalidRequest), "%v", err)
				continue
			}
			for _, name := range op.PathParams() {
				require.Equal(t, id, args[name])
			}
		}
	})
}
