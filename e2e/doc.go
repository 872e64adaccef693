// Package e2e runs the built binary against real SDKs, including a page in a real browser and a project over quota,
// and real MCP clients. Its tests have the build tag e2e, because they need bin/errand, the npm packages of
// package.json and Chromium; `make e2e` provides all three. E2E_BROWSER=off skips the tests with a browser.
package e2e
