package embedded

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// fakeBinaries makes a folder with a postgres that only prints the version.
func fakeBinaries(t *testing.T, version string) string {
	t.Helper()
	dir := newDir(t)
	script := fmt.Sprintf("#!/bin/sh\necho 'postgres (PostgreSQL) %s'\n", version)
	for _, program := range []string{"postgres", "initdb"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, program), []byte(script), 0o755))
	}
	return dir
}

func newFinder(t *testing.T, override string, folders ...string) finder {
	t.Helper()
	a, err := accountFor(nil)
	require.NoError(t, err)
	return finder{account: a, override: override, overrideName: "POSTGRES_BIN", folders: folders}
}

func TestFindBinaries(t *testing.T) {
	t.Parallel()
	v14 := fakeBinaries(t, "14.2")
	v15 := fakeBinaries(t, "15.18 (Debian 15.18-0+deb12u1)")
	v9 := fakeBinaries(t, "9.6.1")
	v18 := fakeBinaries(t, "18beta1")
	again := filepath.Join(newDir(t), "bin")
	require.NoError(t, os.Symlink(v18, again))
	folders := []string{newDir(t), v14, v15, v18, again, v9, "relative", "/does/not/exist"}

	tests := []struct {
		name     string
		override string
		folders  []string
		major    int
		want     binaries
		wantErr  []string
	}{
		{name: "the newest", folders: folders, want: binaries{v18, 18}},
		{name: "the version of the data", folders: folders, major: 15, want: binaries{v15, 15}},
		{name: "named", override: v15, folders: folders, want: binaries{v15, 15}},
		{name: "none", folders: []string{newDir(t)},
			wantErr: []string{"apt install postgresql", "brew install postgresql@18", "DATABASE_URL", "POSTGRES_BIN"}},
		{name: "too old", folders: []string{v14, v9}, wantErr: []string{"no PostgreSQL 15 or newer", "PostgreSQL 14", "PostgreSQL 9"}},
		{name: "not the version of the data", folders: folders, major: 16,
			wantErr: []string{"PostgreSQL 16", "PostgreSQL 15", "PostgreSQL 18", "apt install postgresql-16", "brew install postgresql@16"}},
		{name: "named, without the programs", override: newDir(t), folders: folders, wantErr: []string{"POSTGRES_BIN", "postgres and initdb"}},
		{name: "named, too old", override: v14, folders: folders, wantErr: []string{"POSTGRES_BIN", "PostgreSQL 14", "15 or newer"}},
		{name: "named, not the version of the data", override: v18, folders: folders, major: 15,
			wantErr: []string{"POSTGRES_BIN", "PostgreSQL 15", "PostgreSQL 18"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := newFinder(t, tt.override, tt.folders...).findBinaries(t.Context(), tt.major)
			if len(tt.wantErr) == 0 {
				require.NoError(t, err)
				require.Equal(t, tt.want, got)
				return
			}
			for _, part := range tt.wantErr {
				require.ErrorContains(t, err, part)
			}
		})
	}
}

func TestProgramLinkedIntoPath(t *testing.T) {
	t.Parallel()
	actual := fakeBinaries(t, "17.1")
	path := newDir(t)
	require.NoError(t, os.Symlink(filepath.Join(actual, "postgres"), filepath.Join(path, "postgres")))
	got, err := newFinder(t, "", path).findBinaries(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, binaries{actual, 17}, got)
}

func TestBinariesThatDoNotRun(t *testing.T) {
	t.Parallel()
	dir := fakeBinaries(t, "17.1")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "postgres"), []byte("#!/bin/sh\nexit 3\n"), 0o755))
	_, err := newFinder(t, "", dir).findBinaries(t.Context(), 0)
	require.ErrorContains(t, err, dir)
	require.ErrorContains(t, err, "exit status 3")
}

func TestStartWithoutBinaries(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	require.Contains(t, startFails(t, Options{Dir: dir, Binaries: newDir(t)}), "POSTGRES_BIN")
	require.NoDirExists(t, filepath.Join(dir, "postgres"))
}

// TestInstallCommand asks on releases of Debian and Ubuntu that have the version, that have another, and that are not known.
func TestInstallCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		release string
		major   int
		want    string
	}{
		{"VERSION_CODENAME=bookworm\n", 15, "apt install postgresql-15"},
		{"ID=debian\nVERSION_CODENAME=trixie\n", 15, "this release has PostgreSQL 17 alone: apt install postgresql-common && " +
			"/usr/share/postgresql-common/pgdg/apt.postgresql.org.sh && apt install postgresql-15"},
		{"VERSION_CODENAME=forky\n", 15, "apt install postgresql-15"},
		{"", 15, "apt install postgresql-15"},
	} {
		require.Equal(t, c.want, installCommandOn(c.release, c.major))
	}
}
