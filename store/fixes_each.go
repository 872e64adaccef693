package store

import (
	"context"
	"errors"
	"fmt"

	"errand/core"
)

// undecidedNamed is how many failed fixes an error names.
const undecidedNamed = 10

// decideEachFix decides about fixes one by one, chunk by chunk, until read returns fewer than a chunk. A fix that fails or
// panics does not hold up the others: the error names the first of them. Only the end of the context and an absent database
// stop it.
func decideEachFix[F fmt.Stringer](
	ctx context.Context, read func(ctx context.Context) ([]F, error), decide func(context.Context, F) error,
) error {
	var undecided []error
	count := 0
	for {
		chunk, err := read(ctx)
		if err != nil {
			return errors.Join(append(undecided, err)...)
		}
		for _, fix := range chunk {
			err := decideFix(ctx, fix, decide)
			if ctx.Err() != nil || core.HasCode(err, core.Unavailable) {
				return errors.Join(append(undecided, err)...)
			}
			if err == nil {
				continue
			}
			if count++; count <= undecidedNamed {
				undecided = append(undecided, fmt.Errorf("%s cannot be decided: %w", fix, err))
			}
		}
		if len(chunk) < verifyChunk {
			break
		}
	}
	if more := count - undecidedNamed; more > 0 {
		undecided = append(undecided, fmt.Errorf("and %d more", more))
	}
	return errors.Join(undecided...)
}

// decideFix decides about one fix and returns a panic as an error.
func decideFix[F any](ctx context.Context, fix F, decide func(context.Context, F) error) (err error) {
	defer core.CatchPanic(&err)
	return decide(ctx, fix)
}
