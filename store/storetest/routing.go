package storetest

import (
	"cmp"
	"context"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/store/pg"
)

// openOnCitus opens a distributed database.
func openOnCitus(t *testing.T, databaseURL string) *pg.DB {
	db, err := pg.Open(t.Context(), pg.Options{URL: databaseURL, Clock: time.Now})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	require.NoError(t, db.FindDistribution(t.Context()))
	return db
}

// requireOnNode plans a statement on the node of a shard, where the parts of the tables there serve it without Citus.
func requireOnNode(t *testing.T, db *pg.DB, name, sql string) {
	err := db.OnShard(t.Context(), []int64{1}, func(on *pg.WriterPool) error {
		return db.InTxOf(t.Context(), on, func(tx *pg.Tx) error {
			plan, err := planInTx(t.Context(), tx.Tx, sql)
			if strings.Contains(plan, "Citus") {
				t.Errorf("%s names a table that is not of the shard:\n%s", name, plan)
			}
			return err
		})
	})
	require.NoError(t, err, name)
}

// requireRoutes lets Citus plan every statement as it runs there: each asks one shard, unless asksAllNodes has it.
func requireRoutes(t *testing.T, conn *pgx.Conn, db *pg.DB, statements map[string]string, forms map[string]string) {
	unused := asksAllNodes(t)
	for _, name := range slices.Sorted(maps.Keys(statements)) {
		reason := unused[name]
		delete(unused, name)
		switch reason {
		case ofOnePostgres, partOfOthers:
			continue
		case ofTheWriter:
			requireOnNode(t, db, name, statements[name])
			continue
		}
		if _, hasMarks := pg.NameProjects(statements[name]); hasMarks {
			requireOnNode(t, db, name, statements[name])
		}
		sql, _ := pg.NameProjects(ofAList.Replace(pg.NameOwn(cmp.Or(forms[name], statements[name]))))
		plan, err := planOnCitus(t.Context(), conn, sql)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if asked := countShards(plan); asked > 1 && reason == "" {
			t.Errorf("%s asks %d shards: it has to name its project", name, asked)
		} else if asked <= 1 && reason != "" {
			t.Errorf("%s asks one shard: asksAllNodes should not have it", name)
		}
	}
}

// ofAList puts a mark in the place of the conditions of a list.
var ofAList = strings.NewReplacer("/* the conditions of the list */ true", "/* of some projects: i */ true")

var tasks = regexp.MustCompile(`Task Count: (\d+)`)

// countShards returns the most shards that a part of a plan asks.
func countShards(plan string) (most int) {
	for _, found := range tasks.FindAllStringSubmatch(plan, -1) {
		n, _ := strconv.Atoi(found[1])
		most = max(most, n)
	}
	return most
}

// planOnCitus returns the plan of a statement with some values.
func planOnCitus(ctx context.Context, conn *pgx.Conn, sql string) (plan string, err error) {
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) (err error) {
		plan, err = planInTx(ctx, tx, sql)
		return err
	})
	return plan, err
}

func planInTx(ctx context.Context, tx pgx.Tx, sql string) (plan string, err error) {
	if strings.Contains(sql, "@") {
		if sql, _, err = (pgx.NamedArgs{}).RewriteQuery(ctx, tx.Conn(), sql, nil); err != nil {
			return "", err
		}
	}
	prepared, err := tx.Prepare(ctx, "", sql)
	if err != nil {
		return "", err
	}
	values := make([]string, len(prepared.ParamOIDs))
	for i, oid := range prepared.ParamOIDs {
		kind, _ := tx.Conn().TypeMap().TypeForOID(oid)
		values[i] = someValue(kind.Name)
	}
	if _, err := tx.Exec(ctx, "DEALLOCATE ALL; PREPARE planned AS "+sql, pgx.QueryExecModeSimpleProtocol); err != nil {
		return "", err
	}
	call := "EXPLAIN (COSTS OFF) EXECUTE planned"
	if len(values) > 0 {
		call += "(" + strings.Join(values, ", ") + ")"
	}
	rows, err := tx.Query(ctx, call, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return "", err
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return strings.Join(lines, "\n"), err
}

// someValue returns a literal of a type. Numbers are 1, so that rows of different tables are of one project.
func someValue(kind string) string {
	element, isArray := strings.CutPrefix(kind, "_")
	value := "x"
	switch element {
	case "int2", "int4", "int8", "float4", "float8", "numeric":
		value = "1"
	case "timestamptz", "date":
		value = "2026-03-14"
	case "bool":
		value = "true"
	case "uuid":
		value = "00000000-0000-0000-0000-000000000001"
	case "bytea":
		value = `\x00`
	case "jsonb", "json":
		value = "{}"
	case "interval":
		value = "1 hour"
	}
	if !isArray {
		return "'" + value + "'::" + element
	}
	return "ARRAY['" + value + "'::" + element + "]"
}
