package jobs

import (
	"time"

	"errand/store"
)

type judgeFixesArgs struct{}

func (judgeFixesArgs) Kind() string { return "judge_fixes" }

// judgeFixes marks linked fixes as overdue if no deploy names them and their error goes on. People wait for it.
func judgeFixes(s *store.Store) job {
	return runEvery(10*time.Second, usualTimeout, judgeFixesArgs{}, s.JudgeWaitingFixes)
}
