package pg

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5/pgxpool"
)

// idBlock is the number of ids that a server takes in one go. Ids that are unused when it stops are lost.
const idBlock = 1000

// Series names a series of ids.
type Series string

// IDs hands out ids below 2^53 from blocks, with one UPDATE for each block. It has its own connection: a transaction may
// ask for ids while it holds a connection, and must never wait for a second one that waits for the first.
type IDs struct {
	pool   *pgxpool.Pool
	mu     sync.Mutex
	blocks map[Series]*idRange
}

// idRange is the rest of a block: from next on, before end.
type idRange struct{ next, end int64 }

func newIDs(pool *pgxpool.Pool) *IDs { return &IDs{pool: pool, blocks: map[Series]*idRange{}} }

const takeIDBlock = `
INSERT INTO id_blocks (name, next_id) VALUES (@name, 1 + @size::bigint)
ON CONFLICT (name) DO UPDATE SET next_id = id_blocks.next_id + @size::bigint
RETURNING next_id AS end_id`

// TakeMany returns n ids of the series, in rising order.
func (i *IDs) TakeMany(ctx context.Context, series Series, n int) ([]int64, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	list := make([]int64, 0, n)
	for len(list) < n {
		block := i.blocks[series]
		if block == nil || block.next == block.end {
			size := int64(max(idBlock, n-len(list)))
			row, err := QueryOne[struct{ EndID int64 }](ctx, i.pool, takeIDBlock, Args{"name": string(series), "size": size})
			if err != nil {
				return nil, err
			}
			block = &idRange{row.EndID - size, row.EndID}
			i.blocks[series] = block
		}
		list = append(list, block.next)
		block.next++
	}
	return list, nil
}

// TakeOne returns the next id of the series.
func (i *IDs) TakeOne(ctx context.Context, series Series) (int64, error) {
	list, err := i.TakeMany(ctx, series, 1)
	if err != nil {
		return 0, err
	}
	return list[0], nil
}
