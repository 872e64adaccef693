package migrations_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/migrations"
)

// heldTo is the first migration that is held to the rules below. Those before it came before the first release.
const heldTo = 55

// The tables that may have millions of rows, and the beginning of changes of them.
const (
	large = `(?:issues|events|event_ids|issue_\w+|activity|deliveries|fixes|deploy_\w+|project_hours)`
	alter = `ALTER TABLE (?:ONLY )?` + large + `\b.*\b`
	add   = alter + `ADD (?:CONSTRAINT \w+ )?`
)

// stalling are the forms of statements that block readers or writers while they look at all rows of a table. Each comes with what to
// do in its place.
var stalling = []struct{ form, instead string }{
	{alter + `GENERATED ALWAYS AS\b.*\bSTORED`, "it rewrites the table: add a plain column, and let a job fill it"},
	{alter + `(?:SET DATA )?TYPE\b`, "it rewrites the table: add a column, and drop the old one in a later release"},
	{alter + `DEFAULT [a-z_]+\s*\(`, "a default that is computed rewrites the table: add a constant"},
	{add + `(?:PRIMARY KEY|UNIQUE|EXCLUDE)`, "build the index CONCURRENTLY first, then ADD ... USING INDEX"},
	{add + `(?:CHECK|FOREIGN KEY)\b(?:.(?:[^N]|N[^O]|NO[^T])*)$`, "it looks at all rows: add it NOT VALID"},
	{alter + `SET (?:NOT NULL|LOGGED|UNLOGGED|TABLESPACE)`, "it looks at all rows, or rewrites them: let the program require the value"},
	{`CREATE (?:UNIQUE )?INDEX (?:[a-z_]+ )?ON (?:ONLY )?` + large + `\b`,
		"writers wait until it is built: CREATE INDEX CONCURRENTLY, in a file with +goose NO TRANSACTION"},
	{`(?:UPDATE|DELETE FROM) ` + large + `\b`, "it may change all rows in one transaction: let a job do it in portions"},
	{`(?:CLUSTER|VACUUM FULL|REINDEX|LOCK TABLE)\b`, "it shuts everybody out"},
}

// readStatements returns the statements of a migration, without comments, each on one line.
func readStatements(text string) (list []string) {
	text = regexp.MustCompile(`--[^\n]*`).ReplaceAllString(text, "")
	for statement := range strings.SplitSeq(text, ";") {
		if statement = strings.Join(strings.Fields(statement), " "); statement != "" {
			list = append(list, statement)
		}
	}
	return list
}

// findStalling says what is wrong with a statement; empty if nothing is.
func findStalling(statement string) string {
	for _, form := range stalling {
		if regexp.MustCompile(`^` + form.form).MatchString(statement) {
			return form.instead
		}
	}
	return ""
}

// TestMigrationsStallNobody holds new migrations to forms that servers do not notice while they write.
func TestMigrationsStallNobody(t *testing.T) {
	t.Parallel()
	files := migrations.ListFiles()
	require.NotEmpty(t, files)
	for _, file := range files {
		if file.Version < heldTo {
			continue
		}
		text, err := migrations.FS.ReadFile(file.Name)
		require.NoError(t, err)
		for _, statement := range readStatements(string(text)) {
			assert.Empty(t, findStalling(statement), "%s: %s", file.Name, statement)
		}
	}
}

// TestStallingFormsAreFound tries the rules on statements that break them, and on their harmless neighbours.
func TestStallingFormsAreFound(t *testing.T) {
	t.Parallel()
	for _, statement := range readStatements(`
ALTER TABLE issues ADD COLUMN class integer GENERATED ALWAYS AS (times_seen / 2) STORED;
ALTER TABLE issues ALTER COLUMN level TYPE varchar(20);
ALTER TABLE events ADD COLUMN at timestamptz NOT NULL DEFAULT clock_timestamp();
ALTER TABLE issue_hours ADD CONSTRAINT one UNIQUE (project_id, hour);
ALTER TABLE issues ADD CONSTRAINT seen CHECK (times_seen > 0);
ALTER TABLE issues ALTER COLUMN level SET NOT NULL;
CREATE INDEX issues_by_level ON issues (project_id, level);
CREATE UNIQUE INDEX issues_by_level ON issues (project_id, level);
UPDATE issues SET level = 'error' WHERE level = '';
DELETE FROM activity;
LOCK TABLE issues;`) {
		assert.NotEmpty(t, findStalling(statement), statement)
	}
	for _, statement := range readStatements(`
ALTER TABLE issues ADD COLUMN level_at timestamptz, ADD COLUMN rank integer NOT NULL DEFAULT 0;
ALTER TABLE issues ADD CONSTRAINT seen CHECK (times_seen > 0) NOT VALID;
CREATE INDEX CONCURRENTLY issues_by_level ON issues (project_id, level);
CREATE INDEX teams_by_name ON teams (name);
UPDATE teams SET name = 'x' WHERE name = '';
ALTER TABLE teams ALTER COLUMN name SET NOT NULL; -- few rows
DROP INDEX issues_listed;`) {
		assert.Empty(t, findStalling(statement), statement)
	}
}
