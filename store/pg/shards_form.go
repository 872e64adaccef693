package pg

import (
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
)

// tableOf finds the tables of a statement, with the alias that may follow. Keywords are in capitals.
var tableOf = regexp.MustCompile(`\b(FROM|JOIN|INTO|UPDATE|USING)(\s+)([a-z][a-z_]*)\b((?:\s+AS)?\s+[a-z_]\w*)?`)

// formStatement returns a statement as it runs on the shard.
func (p *shardPlace) formStatement(sql string) string {
	if known, ok := p.forms.Load(sql); ok {
		return known.(string)
	}
	form := onShard(sql, p.names)
	p.forms.Store(sql, form)
	return form
}

// onShard returns a statement over the parts of the tables in a shard, whose names are given.
func onShard(sql string, names map[string]string) string {
	var out strings.Builder
	last := 0
	for _, at := range tableOf.FindAllStringSubmatchIndex(sql, -1) {
		table := sql[at[6]:at[7]]
		name := names[table]
		if name == "" {
			continue
		}
		out.WriteString(sql[last:at[6]])
		out.WriteString(name)
		if at[8] < 0 { // columns are named by the table
			out.WriteString(" AS " + table)
		}
		last = at[7]
	}
	out.WriteString(sql[last:])
	return out.String()
}

// formBatch returns a batch whose statements run on the shard.
func (p *shardPlace) formBatch(b *pgx.Batch) *pgx.Batch {
	formed := &pgx.Batch{QueuedQueries: make([]*pgx.QueuedQuery, len(b.QueuedQueries))}
	for i, queued := range b.QueuedQueries {
		one := *queued
		one.SQL = p.formStatement(queued.SQL)
		formed.QueuedQueries[i] = &one
	}
	return formed
}
