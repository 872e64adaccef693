// What the page uses of @sentry/browser. The test bundles it, and serves it as sdk.js.
export { captureException, flush, init } from "@sentry/browser";
