// Package e2e runs the built binary against real SDKs, also in a page of a real browser and over quota, and real MCP
// clients. Its tests have the build tag e2e, because they need bin/errand, the npm packages of package.json and Chromium;
// `make e2e` sees to all three. With E2E_BROWSER=off the tests with a browser are skipped.
package e2e
