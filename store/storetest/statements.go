package storetest

import (
	"errors"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"errand/store/pg"
)

// RequireStatements lets Postgres parse and plan every SQL constant of the package of the running test, so that a wrong
// column or type is found without running the statement. No statement may ask the database for the time, which comes
// from the clock; mayAskForTime has the exceptions. On Citus it also requires that statements name a project (requireRoutes). forms
// has the forms of statements that have another one there, by name; it may be nil.
func RequireStatements(t *testing.T, forms map[string]string) {
	t.Helper()
	statements := statementConstants(t)
	require.NotEmpty(t, statements, "the constants were not found")
	databaseURL := NewURL(t)
	conn, err := pgx.Connect(t.Context(), databaseURL)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	if isOnCitus() {
		requireRoutes(t, conn, openOnCitus(t, databaseURL), statements, forms)
		return
	}
	for name, sql := range statements {
		if named, hasMarks := pg.NameProjects(sql); hasMarks {
			statements[name+" of some projects"] = named
		}
		if named := pg.NameOwn(sql); named != sql {
			statements[name+" of its projects"] = named
		}
	}
	for name, sql := range statements {
		if !mayAskForTime[name] {
			require.NotRegexp(t, asksForTime, sql, name)
		}
		if strings.Contains(sql, "@") {
			sql, _, err = pgx.NamedArgs{}.RewriteQuery(t.Context(), conn, sql, nil)
			require.NoError(t, err, name)
		}
		_, err := conn.Prepare(t.Context(), name, sql)
		require.NoError(t, err, "%s:\n%s", name, sql)
	}
}

// asksForTime finds functions with a different result each time.
var asksForTime = regexp.MustCompile(`(?i)\b(now|clock_timestamp|statement_timestamp|random|gen_random_uuid)\(|\bcurrent_(date|time)`)

// mayAskForTime has the statements that may ask the database for the time: one sets the injected clock, the other compares
// times that Postgres itself noted.
var mayAskForTime = map[string]bool{"tellClock": true, "endFrozen": true}

var startsLikeSQL = regexp.MustCompile(`^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b`)

// statementConstants returns the package's string constants that are SQL, as the compiler evaluates them.
func statementConstants(t *testing.T) map[string]string {
	fset := token.NewFileSet()
	var files []*ast.File
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, entry := range entries {
		if name := entry.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			file, err := parser.ParseFile(fset, name, nil, 0)
			require.NoError(t, err)
			files = append(files, file)
		}
	}
	// Constants do not need imports, so errors about imports do not matter.
	config := types.Config{Error: func(error) {}, Importer: noImports{importer.Default()}}
	pkg, _ := config.Check("errand/store", fset, files, nil)
	found := map[string]string{}
	for _, name := range pkg.Scope().Names() {
		c, ok := pkg.Scope().Lookup(name).(*types.Const)
		if ok && c.Val().Kind() == constant.String && startsLikeSQL.MatchString(constant.StringVal(c.Val())) {
			found[name] = constant.StringVal(c.Val())
		}
	}
	return found
}

type noImports struct{ types.Importer }

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not needed") }
