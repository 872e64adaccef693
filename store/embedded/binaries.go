package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// probeWait bounds the run of postgres --version.
const probeWait = 10 * time.Second

// binariesVariable is the setting that names the folder of the programs.
const binariesVariable = "POSTGRES_BIN"

// minMajor is the oldest Postgres that Errand runs on (decisions 2).
const minMajor = 15

// binaries is a folder with the postgres and initdb of one major version.
type binaries struct {
	dir   string
	major int
}

func (b binaries) path(program string) string { return filepath.Join(b.dir, program) }

func (b binaries) String() string { return fmt.Sprintf("PostgreSQL %d (%s)", b.major, b.dir) }

// finder looks for the binaries.
type finder struct {
	account      account  // the user that has to be able to run them
	override     string   // the only folder to look at, unless empty
	overrideName string   // what the override is called in errors
	folders      []string // the folders to look at otherwise
}

// usualFolders lists the folders where packages put the server programs, then the folders of PATH.
func usualFolders() []string {
	var folders []string
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin",         // Debian, Ubuntu, the official container image
		"/usr/pgsql-*/bin",                  // the project's own packages for Red Hat and its kin
		"/usr/libexec/postgresql*",          // Alpine
		"/opt/homebrew/opt/postgresql*/bin", // Homebrew: Apple silicon, Intel, Linux
		"/usr/local/opt/postgresql*/bin",
		"/home/linuxbrew/.linuxbrew/opt/postgresql*/bin",
		"/Applications/Postgres.app/Contents/Versions/*/bin",
	} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			panic(err) // only a malformed pattern
		}
		folders = append(folders, found...)
	}
	return append(folders, filepath.SplitList(os.Getenv("PATH"))...)
}

// FindVersion returns the major version of the Postgres that would make new data: of the one in the folder, or of the newest on
// this machine if folder is empty.
func FindVersion(ctx context.Context, folder string) (major int, err error) {
	a, err := accountFor(nil)
	if err != nil {
		return 0, err
	}
	b, err := finder{account: a, override: folder, overrideName: binariesVariable, folders: usualFolders()}.findBinaries(ctx, 0)
	return b.major, err
}

// findBinaries returns the binaries for data of the given major version, or the newest ones when major is 0.
func (f finder) findBinaries(ctx context.Context, major int) (binaries, error) {
	if f.override != "" {
		return f.findOverride(ctx, major)
	}
	var best binaries
	var unfit []string
	seen := map[string]bool{}
	for _, folder := range f.folders {
		folder, ok := serverFolder(folder)
		if !ok || seen[folder] {
			continue
		}
		seen[folder] = true
		b, err := f.probeFolder(ctx, folder)
		switch {
		case err != nil:
			unfit = append(unfit, err.Error())
		case b.major < minMajor || major != 0 && b.major != major:
			unfit = append(unfit, b.String())
		case b.major > best.major:
			best = b
		}
	}
	if best.major == 0 {
		return binaries{}, errors.Join(ctx.Err(), notFoundError(major, unfit))
	}
	return best, nil
}

func (f finder) findOverride(ctx context.Context, major int) (binaries, error) {
	folder, err := filepath.Abs(f.override)
	if err != nil {
		return binaries{}, fmt.Errorf("%s: %w", f.overrideName, err)
	}
	folder, ok := serverFolder(folder)
	if !ok {
		return binaries{}, fmt.Errorf("%s: %s does not hold the programs postgres and initdb", f.overrideName, f.override)
	}
	b, err := f.probeFolder(ctx, folder)
	switch {
	case err != nil:
		return binaries{}, fmt.Errorf("%s: %w", f.overrideName, err)
	case b.major < minMajor:
		return binaries{}, fmt.Errorf("%s: %s is too old, Errand needs PostgreSQL %d or newer", f.overrideName, b, minMajor)
	case major != 0 && b.major != major:
		return binaries{}, fmt.Errorf("%s: %w", f.overrideName, notFoundError(major, []string{b.String()}))
	}
	return b, nil
}

// notFoundError is the one message for a machine without the right binaries.
func notFoundError(major int, unfit []string) error {
	found := ""
	if len(unfit) > 0 {
		found = "; found, but of no use: " + strings.Join(unfit, ", ")
	}
	if major == 0 {
		return fmt.Errorf("no PostgreSQL %d or newer found on this machine%s. Install it "+
			"(apt install postgresql, or brew install postgresql@18), or name the folder of postgres and initdb "+
			"in POSTGRES_BIN, or use an existing server by DATABASE_URL", minMajor, found)
	}
	return fmt.Errorf("the data is of PostgreSQL %[1]d, and only the programs of that version can run it%[2]s. Install them "+
		"(%[3]s; or brew install postgresql@%[1]d), or name their folder in POSTGRES_BIN. "+
		"With both versions installed, errand postgres upgrade brings the data to the newer one", major, found, installCommand(major))
}

// pgdgScript adds the repository of the PostgreSQL project, which has every version, to a Debian or Ubuntu.
const pgdgScript = "/usr/share/postgresql-common/pgdg/apt.postgresql.org.sh"

// installCommand returns what to type on this machine for the programs of a major version.
func installCommand(major int) string {
	release, _ := os.ReadFile("/etc/os-release") // without it nothing is known of the release
	return installCommandOn(string(release), major)
}

// releaseName finds the release of Debian or Ubuntu, and majorOfRelease has the only version in the packages of each.
var (
	releaseName    = regexp.MustCompile(`(?m)^VERSION_CODENAME=(.+)$`)
	majorOfRelease = map[string]int{"bullseye": 13, "bookworm": 15, "trixie": 17, "jammy": 14, "noble": 16, "plucky": 17, "questing": 17}
)

func installCommandOn(osRelease string, major int) string {
	command := fmt.Sprintf("apt install postgresql-%d", major)
	if name := releaseName.FindStringSubmatch(osRelease); name != nil {
		if own, known := majorOfRelease[name[1]]; known && own != major {
			return fmt.Sprintf("this release has PostgreSQL %d alone: apt install postgresql-common && %s && %s", own, pgdgScript, command)
		}
	}
	return command
}

// serverFolder returns the real path of the folder when it holds the two programs.
func serverFolder(folder string) (string, bool) {
	server, err := filepath.EvalSymlinks(filepath.Join(folder, "postgres"))
	if err != nil || !filepath.IsAbs(server) {
		return "", false
	}
	folder = filepath.Dir(server) // a postgres linked into PATH has its initdb beside the real file
	for _, program := range []string{"postgres", "initdb"} {
		if !isProgram(filepath.Join(folder, program)) {
			return "", false
		}
	}
	return folder, true
}

// isProgram reports whether the path is a file that somebody may run.
func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

var versionPattern = regexp.MustCompile(`\) (\d+)`) // "postgres (PostgreSQL) 18.1 (Debian 18.1-1)"

// probeFolder asks the postgres in folder for its version.
func (f finder) probeFolder(ctx context.Context, folder string) (binaries, error) {
	ctx, cancel := context.WithTimeout(ctx, probeWait)
	defer cancel()
	cmd := f.account.makeCommand(syscall.SIGKILL, filepath.Join(folder, "postgres"), "--version")
	out, err := runProgram(ctx, cmd)
	if err != nil {
		return binaries{}, fmt.Errorf("%s as user %q: %w", cmd.Path, f.account.name, err)
	}
	match := versionPattern.FindStringSubmatch(out)
	if match == nil {
		return binaries{}, fmt.Errorf("%s: no version in %q", cmd.Path, out)
	}
	major, err := strconv.Atoi(match[1])
	if err != nil {
		return binaries{}, fmt.Errorf("%s: version in %q: %w", cmd.Path, out, err)
	}
	return binaries{dir: folder, major: major}, nil
}
