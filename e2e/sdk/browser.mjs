// The part of @sentry/browser that the page uses. The test bundles it, and serves it as sdk.js.
export { captureException, flush, init } from "@sentry/browser";
