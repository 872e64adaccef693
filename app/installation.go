package app

import (
	"context"
	"fmt"
	"log/slog"

	"errand/store/embedded"
)

// findInstallation fills in the defaults, and finds the installation that a command works on; it never makes one.
// DATABASE_URL or DATA_DIR decide if given. Otherwise it is the default folder if its server is running, else the
// only running server of this user, else the default folder.
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

// findRunningURL returns the URL of a server of this installation on this machine; empty when none of this user's runs.
func (c *Config) findRunningURL() string {
	own := runningServer{Database: redactURL(c.DatabaseURL.Reveal())}
	if c.isPrivate() {
		own = runningServer{DataDir: findRealPath(c.DataDir)}
	}
	for _, server := range listRunning() {
		if server.DataDir == own.DataDir && server.Database == own.Database {
			return server.URL
		}
	}
	return ""
}

// takeRunning sets DataDir to the folder of a running server, unless the server of the default folder is running.
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
