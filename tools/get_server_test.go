package tools_test

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/tools"
)

// TestGetServer joins what the process knows with what the database knows, and warns in words.
func TestGetServer(t *testing.T) {
	t.Parallel()
	h := openShop(t)
	admin := core.NewBootstrapActor()
	h.describe = func() tools.ProcessFacts {
		return tools.ProcessFacts{
			Version: "1.2.3", IsPrivate: true, Held: 5000, JobNames: []string{"verify_fixes", "end_claims", "drop_sent"},
			Jobs: []core.JobState{
				{Name: "verify_fixes", LastRunAt: core.At(noon), LastSuccessAt: core.At(noon), Outcome: "ok"},
				{Name: "drop_sent", LastRunAt: core.At(noon), Outcome: "failed"},
			},
			Disks: []core.DiskState{{Use: "data", Path: "/data", FreeBytes: 7, TotalBytes: 100, PercentUsed: 93}},
			Keys:  []core.KeyState{{Name: "ENCRYPTION_KEYS", Set: true, IDs: core.List[string]{"k1"}}},
		}
	}
	h.bindOperations(rand.Reader)
	h.changeRows(`INSERT INTO river_job (kind, args, state, attempted_at, finalized_at, max_attempts)
VALUES ('verify_fixes', '{}', 'discarded', $1, $1, 1), ('verify_fixes', '{}', 'completed', $2, $2, 1),
	('unknown', '{}', 'completed', $2, $2, 1)`,
		noon.Add(time.Minute), noon.Add(-time.Hour))
	webhook := idOf(h.createWebhook(""))
	_, err := h.store.AddPing(t.Context(), webhook)
	require.NoError(t, err)
	value := "30"
	_, err = h.store.SaveSettings(t.Context(), map[string]*string{"RETENTION_DAYS": &value}, "host-1")
	require.NoError(t, err)
	h.now = noon.Add(3 * time.Hour)

	server := h.callData(admin, core.GetServer.Operation, `{}`)

	require.Equal(t, []any{
		"The disk of /data (data) is 93 % full.", "5000 events wait in memory for the database.",
		"The last run of the job drop_sent failed; the log says why.", "The last run of the job verify_fixes failed; the log says why.",
		"A delivery to a webhook has waited for 3 h: its receiver does not take it.",
	}, server["warnings"])
	jobs := server["jobs"].([]any)
	require.Len(t, jobs, 3, "a job of another version is left out")
	h.sameJSON(jobs[1], `{"name": "end_claims", "last_run_at": null, "last_success_at": null, "outcome": null}`)
	verify := jobs[2].(object)
	require.Equal(t, "failed", verify["outcome"], "the latest run counts")
	require.Equal(t, core.At(noon).Format(core.TimeLayout), verify["last_success_at"])
	require.Equal(t, "1.2.3", server["version"])
	database := server["database"].(object)
	require.Equal(t, true, database["private"])
	require.Greater(t, database["bytes"], 1e6)
	require.Equal(t, 1.0, server["queue"].(object)["pending"])
	found := map[string]object{}
	for _, setting := range server["settings"].([]any) {
		found[setting.(object)["name"].(string)] = setting.(object)
	}
	require.Equal(t, "30", found["RETENTION_DAYS"]["value"])
	require.Equal(t, "host-1", found["RETENTION_DAYS"]["set_by"])
	require.Equal(t, true, found["SIMILAR"]["default"])
	require.Equal(t, "https://errors.example", found["BASE_URL"]["value"])
}
