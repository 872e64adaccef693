package store

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5/pgxpool"
)

// idBlock is how many ids a server takes at once. Ids that it has not used when it stops are lost.
const idBlock = 1000

// idKind names a series of ids.
type idKind string

const (
	issueIDs    idKind = "issues"
	eventIDs    idKind = "events"
	activityIDs idKind = "activity"
	tokenIDs    idKind = "tokens"
	approvalIDs idKind = "approvals"

	dictionaryIDs idKind = "dictionaries"
	releaseIDs    idKind = "releases"
	deployIDs     idKind = "deploys"
	fixIDs        idKind = "fixes"
)

// ids hands out ids below 2^53 from blocks, one UPDATE a block. It has a connection of its own: a transaction may ask
// for ids while it holds its own connection, and must never wait for another one that waits for it.
type ids struct {
	pool   *pgxpool.Pool
	mu     sync.Mutex
	blocks map[idKind]*block
}

type block struct{ next, end int64 }

func newIDs(pool *pgxpool.Pool) *ids { return &ids{pool: pool, blocks: map[idKind]*block{}} }

const takeIDBlock = `
INSERT INTO id_blocks (name, next_id) VALUES (@name, 1 + @size::bigint)
ON CONFLICT (name) DO UPDATE SET next_id = id_blocks.next_id + @size::bigint
RETURNING next_id AS end_id`

// take gives n ids of the series, in rising order.
func (i *ids) take(ctx context.Context, kind idKind, n int) ([]int64, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	list := make([]int64, 0, n)
	for len(list) < n {
		b := i.blocks[kind]
		if b == nil || b.next == b.end {
			size := int64(max(idBlock, n-len(list)))
			row, err := one[struct{ EndID int64 }](ctx, i.pool, takeIDBlock, args{"name": string(kind), "size": size})
			if err != nil {
				return nil, err
			}
			b = &block{row.EndID - size, row.EndID}
			i.blocks[kind] = b
		}
		list = append(list, b.next)
		b.next++
	}
	return list, nil
}

func (i *ids) one(ctx context.Context, kind idKind) (int64, error) {
	list, err := i.take(ctx, kind, 1)
	if err != nil {
		return 0, err
	}
	return list[0], nil
}
