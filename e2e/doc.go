// Package e2e runs the built binary against real SDKs and real MCP clients. Its tests have the build tag e2e, because
// they need bin/errand and the npm packages of package.json; `make e2e` makes both.
package e2e
