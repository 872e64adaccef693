package jobs

import (
	"context"
	"time"

	"errand/store"
)

// enoughEvents is how many events a day make a project worth its own dictionary.
const enoughEvents = 300

type trainDictionariesArgs struct{}

func (trainDictionariesArgs) Kind() string { return "train_dictionaries" }

// trainDictionaries makes a dictionary for each busy project from its own events, and a new one every week. A row
// then takes a third of the room.
func trainDictionaries(s *store.Store) job {
	return runEvery(10*time.Second, usualTimeout, trainDictionariesArgs{}, func(ctx context.Context) error {
		projects, err := s.Intake.UntrainedProjects(ctx, enoughEvents)
		for _, project := range projects {
			if err != nil || ctx.Err() != nil {
				break
			}
			err = s.Intake.TrainDictionary(ctx, project)
		}
		return err
	})
}
