package app

import (
	"context"
	"fmt"

	"errand/core"
)

// dataPerMemory is how many times larger than the shared memory of the private Postgres its data may be. Beyond it, lists by priority
// take up to a third longer than with twice the memory.
const dataPerMemory = 32

// checkMemory compares the shared memory of the private Postgres with its data, in bytes. Other servers are sized by their own operators.
func (e *examination) checkMemory(ctx context.Context, data int64) error {
	if !e.config.isPrivate() {
		return nil
	}
	memory, err := e.db.ReadSharedMemory(ctx)
	if err == nil {
		e.judgeMemory(data, memory)
	}
	return err
}

func (e *examination) judgeMemory(data, memory int64) {
	if data <= dataPerMemory*memory {
		e.addOK("memory", "%dMB of shared memory (POSTGRES_MEMORY) for %s of data", memory>>20, core.WriteBytes(data))
		return
	}
	enough := memory
	for data > dataPerMemory*enough {
		enough *= 2
	}
	e.addWarning("memory", fmt.Sprintf("if the machine has it, give the private Postgres more: POSTGRES_MEMORY=%dMB", enough>>20),
		"%dMB of shared memory (POSTGRES_MEMORY) is little for %s of data: lists are slower than they could be",
		memory>>20, core.WriteBytes(data))
}
