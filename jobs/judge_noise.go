package jobs

import (
	"time"

	"errand/store"
)

type judgeNoiseArgs struct{}

func (judgeNoiseArgs) Kind() string { return "judge_noise" }

// judgeNoise stores which issues are noise, for the filter of lists.
func judgeNoise(s *store.Store) job {
	return runEvery(10*time.Second, usualTimeout, judgeNoiseArgs{}, s.JudgeNoise)
}
