package jobs

import (
	"context"
	"time"

	"github.com/klauspost/compress/dict"
	"github.com/klauspost/compress/zstd"

	"errand/store"
)

// When a project is worth a dictionary of its own, and what it is built from.
const (
	enoughEvents   = 500 // in a day
	enoughSamples  = 50
	samplesPerKind = 20 // of one issue
	dictionarySize = 64 << 10
)

// trainDictionaries builds a dictionary for each project from its own events, every week anew: a row then takes a third
// of the room.
func trainDictionaries(s *store.Store) job {
	return job{name: "train_dictionaries", every: time.Minute, run: func(ctx context.Context) error {
		projects, err := s.UntrainedProjects(ctx, enoughEvents)
		for _, project := range projects {
			if err != nil || ctx.Err() != nil {
				break
			}
			err = train(ctx, s, project)
		}
		return err
	}}
}

func train(ctx context.Context, s *store.Store, project int64) error {
	samples, err := s.SampleEvents(ctx, project, samplesPerKind)
	if err != nil || len(samples) < enoughSamples {
		return err
	}
	return s.AddDictionary(ctx, project, func(id uint32) ([]byte, error) {
		return dict.BuildZstdDict(samples, dict.Options{
			MaxDictSize: dictionarySize, HashBytes: 6, ZstdDictID: id, ZstdLevel: zstd.SpeedFastest,
		})
	})
}
