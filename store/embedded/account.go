package embedded

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// account is the system user that runs Postgres and owns its data.
type account struct {
	name     string
	uid, gid uint32
}

// usualAccounts are the users that run Postgres when root starts it, the best first: "errand" has
// nothing else (scripts/install-postgres makes it), so neither another Postgres on the machine nor a
// stray service can reach the data.
var usualAccounts = []string{"errand", "postgres", "nobody"}

// accountFor chooses the user that runs Postgres: this process's own, unless that is root. Existing
// data is run by its owner, so a user that is added later changes nothing.
func accountFor(dataOwner *uint32) (account, error) {
	euid := uint32(os.Geteuid())
	switch {
	case euid != 0:
		return account{name: userName(euid), uid: euid, gid: uint32(os.Getegid())}, nil
	case dataOwner != nil:
		a, err := lookUpAccount(user.LookupId(strconv.Itoa(int(*dataOwner))))
		if err != nil {
			return account{}, fmt.Errorf("the owner of the data cannot run Postgres: %w", err)
		}
		return a, nil
	}
	return firstAccount(usualAccounts)
}

// firstAccount returns the first of the users that exists and can run Postgres, which root cannot.
func firstAccount(names []string) (account, error) {
	for _, name := range names {
		a, err := lookUpAccount(user.Lookup(name))
		if _, unknown := errors.AsType[user.UnknownUserError](err); unknown || err == nil && a.uid == 0 {
			continue
		}
		if err != nil {
			return account{}, fmt.Errorf("root cannot run Postgres, and user %s cannot be used: %w", name, err)
		}
		return a, nil
	}
	return account{}, fmt.Errorf("root cannot run Postgres, and there is none of the users %s", strings.Join(names, ", "))
}

func lookUpAccount(u *user.User, err error) (account, error) {
	if err != nil {
		return account{}, err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return account{}, fmt.Errorf("user id of %s: %w", u.Username, err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return account{}, fmt.Errorf("group id of %s: %w", u.Username, err)
	}
	return account{name: u.Username, uid: uint32(uid), gid: uint32(gid)}, nil
}

// userName returns the name of uid for messages, or the number when it has none.
func userName(uid uint32) string {
	id := strconv.Itoa(int(uid))
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return id
}

// isSelf reports whether this process already runs as the account.
func (a account) isSelf() bool { return uint32(os.Geteuid()) == a.uid }

// giveToAccount makes the account the owner of path.
func (a account) giveToAccount(path string) error {
	if a.isSelf() {
		return nil
	}
	return os.Lchown(path, int(a.uid), int(a.gid))
}

// makeCommand prepares a program to run as the account, in its own process group, so that Ctrl-C on the
// terminal reaches Errand only. On Linux the program gets onDeath when the thread that started it ends:
// start it from a goroutine that is locked to its thread and outlives the program.
//
// The program gets only a small part of the environment: Errand's holds secrets, and PG* variables and
// the locale would change how Postgres behaves.
func (a account) makeCommand(onDeath syscall.Signal, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = "/" // the working folder of root may be closed to the account
	cmd.Env = []string{"LC_ALL=C", "TZ=UTC", "PATH=" + os.Getenv("PATH")}
	if path, ok := os.LookupEnv("LD_LIBRARY_PATH"); ok {
		cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH="+path)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if !a.isSelf() {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: a.uid, Gid: a.gid}
	}
	setDeathSignal(cmd.SysProcAttr, onDeath)
	return cmd
}

// canReach reports, by the mode bits, whether the account may enter the folder and every folder
// above it.
func (a account) canReach(folder string) error {
	if a.isSelf() {
		return nil
	}
	for at := folder; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err != nil {
			return err
		}
		if !a.mayEnter(info) {
			return fmt.Errorf("user %q, which runs the private Postgres, may not enter %s (mode %04o), so %s cannot be used: "+
				"choose a DATA_DIR elsewhere, such as /var/lib/errand, or allow it with: chmod o+x %s",
				a.name, at, info.Mode().Perm(), folder, at)
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

func (a account) mayEnter(info os.FileInfo) bool {
	owner := info.Sys().(*syscall.Stat_t)
	switch {
	case owner.Uid == a.uid:
		return info.Mode()&0o100 != 0
	case owner.Gid == a.gid:
		return info.Mode()&0o010 != 0
	}
	return info.Mode()&0o001 != 0
}
