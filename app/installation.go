package app

import (
	"context"
	"fmt"
	"log/slog"

	"errand/store/embedded"
)

// findInstallation fills in the defaults, and finds the installation that a command works on, which it never makes: that of
// DATABASE_URL or DATA_DIR; where neither is given, that of the default folder when its server runs, else that of the only
// server of this user that runs, else that of the default folder.
func (c *Config) findInstallation(ctx context.Context, log *slog.Logger) error {
	isGiven := c.DataDir != ""
	if err := c.FillDefaults(); err != nil || !c.isPrivate() {
		return err
	}
	running := listRunning()
	if !isGiven && len(running) > 0 {
		if err := c.takeRunning(running); err != nil {
			return err
		}
		log.DebugContext(ctx, "using the installation of a running server", "DATA_DIR", c.DataDir)
	}
	exists, err := embedded.HasData(c.DataDir)
	if err != nil || exists {
		return err
	}
	return fmt.Errorf("there is no installation of Errand in the folder %s, and only errand serve and errand migrate make one: set "+
		"DATA_DIR to the data folder of the server, or DATABASE_URL to its database%s", c.DataDir, nameRunning(running))
}

// takeRunning sets DataDir to that of a running server, unless the server of the default folder runs.
func (c *Config) takeRunning(running []runningServer) error {
	for _, server := range running {
		if server.DataDir == findRealPath(c.DataDir) {
			return nil
		}
	}
	if len(running) > 1 || running[0].DataDir == "" {
		return fmt.Errorf("which installation? No server runs on the default folder %s: set DATA_DIR or DATABASE_URL as the server has it%s",
			c.DataDir, nameRunning(running))
	}
	c.DataDir = running[0].DataDir
	return nil
}
