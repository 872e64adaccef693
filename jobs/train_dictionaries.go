package jobs

import (
	"context"
	"time"

	"errand/store"
)

// enoughEvents are so many in a day that a project is worth a dictionary of its own.
const enoughEvents = 300

type dictionaries struct{}

func (dictionaries) Kind() string { return "train_dictionaries" }

// trainDictionaries makes a dictionary for each busy project from its own events, every week anew: a row then takes a
// third of the room.
func trainDictionaries(s *store.Store) job {
	return every(10*time.Second, usual, dictionaries{}, func(ctx context.Context) error {
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
