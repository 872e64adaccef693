package core

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestALeanIssueFitsItsBudget fills each member to its longest, with letters that take several bytes in JSON or in UTF-8.
func TestALeanIssueFitsItsBudget(t *testing.T) {
	t.Parallel()
	const most = 600 // bytes
	for name, letter := range map[string]string{"quotes": `"`, "ideographs": "字", "ASCII": "a", "control": "\x01"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			issue := Issue{
				ID: 4_294_967_295, Project: strings.Repeat("a", 100), Title: Untrusted(strings.Repeat(letter, 200)),
				Culprit: Untrusted(strings.Repeat(letter, 200)), Status: FixPending, Level: "warning", TimesSeen: 1_000_000_000,
				Events24h: 100_000_000, UsersAffected: 1000, Priority: 123456789.123, LastSeen: At(time.Unix(1_800_000_000, 0)), Trust: TrustHigh,
				Triage: Triage{Category: Infrastructure}, Approval: &PendingApproval{Action: HeldIssueAction(HoldIgnore)},
				Claim: &Claim{Holder: strings.Repeat(letter, 100), Worker: Text(strings.Repeat(letter, 64))},
			}

			text, err := marshalPlain(ListedIssue{Issue: issue, Fields: IssueFields{LeanFields}})

			require.NoError(t, err)
			require.LessOrEqual(t, len(text), most, "%s", text)
			require.NotContains(t, string(text), "fingerprint")
			require.Contains(t, string(text), `"triage":{"category":"infrastructure","severity":0,"agent_fixable":false,"noise":false}`)
			require.Len(t, issue.Claim.Holder, 100*len(letter), "the issue itself stays as it is")
		})
	}
}
