//go:build e2e

package e2e

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The configurations from the plugins' documentation. Telemetry would go to Sentry.
const (
	viteConfig = `
import { sentryVitePlugin } from "@sentry/vite-plugin";
import { defineConfig } from "vite";

export default defineConfig({
  build: { sourcemap: "hidden" },
  plugins: [
    sentryVitePlugin({
      org: process.env.SENTRY_ORG,
      project: process.env.SENTRY_PROJECT,
      authToken: process.env.SENTRY_AUTH_TOKEN,
      release: { deploy: { env: "production" } },
      telemetry: false,
    }),
  ],
});
`
	webpackConfig = `
const { sentryWebpackPlugin } = require("@sentry/webpack-plugin");

module.exports = {
  mode: "production",
  entry: "./src/cart.js",
  devtool: "source-map",
  plugins: [
    sentryWebpackPlugin({
      org: process.env.SENTRY_ORG,
      project: process.env.SENTRY_PROJECT,
      authToken: process.env.SENTRY_AUTH_TOKEN,
      release: { deploy: { env: "production" } },
      telemetry: false,
    }),
  ],
};
`
	// webpack's command is in another package; this does the same.
	webpackBuild = `
require("webpack")(require("./webpack.config.js"), (error, stats) => {
  if (error || stats.hasErrors()) { console.error(error || stats.toString()); process.exit(1); }
});
`
)

func TestSentryBundlerPlugins(t *testing.T) {
	t.Parallel()
	s := newCIJob(t, startServer(t))
	require.NoError(t, os.Symlink(s.modulePath(""), filepath.Join(s.dir, "node_modules")))
	s.writeFile("src/cart.js", shopSource)
	s.writeFile("index.html", `<script type="module" src="/src/cart.js"></script>`)
	s.writeFile("vite.config.mjs", viteConfig)
	s.writeFile("webpack.config.js", webpackConfig)
	s.writeFile("build.js", webpackBuild)
	s.commitChange("set up")
	for name, build := range map[string][]string{
		"vite":    {s.modulePath(".bin/vite"), "build"},
		"webpack": {"node", "build.js"},
	} {
		t.Run(name, func(t *testing.T) {
			release := s.commitChange(name) // the plugins name a release by its commit

			out := s.mustRun(build[0], build[1:]...)

			maps := s.listMaps(release)
			require.NotEmpty(t, maps, out)
			require.Positive(t, maps[0].Sources)
			var shown struct {
				Data struct {
					Commit  string
					Deploys []struct{ Environment string }
				}
			}
			require.Equal(t, 200, s.callAPI(adminToken, "GET", "/v1/releases/"+url.PathEscape(release)+"?project="+s.slug, "", &shown))
			require.Equal(t, release, shown.Data.Commit, out)
			require.Equal(t, "production", shown.Data.Deploys[0].Environment)
		})
	}
}
