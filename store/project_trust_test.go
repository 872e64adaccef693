package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/core"
	"errand/store/activity"
	"errand/store/storetest"
)

// TestTrustIsTheSameInSQL compares the trust that SQL computes with the trust that the API shows.
func TestTrustIsTheSameInSQL(t *testing.T) {
	t.Parallel()
	s, c := storetest.OpenShop(t)
	now := c.At(0)
	since := core.ClientSince(now)
	const ask = `SELECT ` + activity.IsTrusted + `
		FROM (VALUES ($1::text)) p (trust_setting), (VALUES ($2::timestamptz, $3::timestamptz)) t (client_seen, client_since)`
	high, low := core.TrustHigh, core.TrustLow
	for _, setting := range []*core.Trust{nil, &high, &low} {
		for _, clientSeen := range []core.Time{
			{}, core.At(since.Add(-time.Microsecond)), since, core.At(since.Add(time.Microsecond)), now,
		} {
			trust, _ := core.AssessSources(setting, now, clientSeen, now.Time)

			isTrusted := storetest.ReadCell[bool](t, s, ask, setting, clientSeen, since)

			require.Equal(t, trust == core.TrustHigh, isTrusted, "setting %v, seen at %s", setting, clientSeen)
		}
	}
}
