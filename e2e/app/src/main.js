import { flush, init } from "@sentry/browser";
import { Cart } from "./cart.js";

init({
	dsn: new URLSearchParams(location.search).get("dsn"),
	release: __RELEASE__,
	integrations: (usual) => usual.filter((integration) => integration.name !== "Dedupe"), // a page may meet an error again
});

document.querySelector("button").onclick = function checkOut() {
	new Cart([{ name: "tea" }]).countTotal();
};

globalThis.flushErrors = () => flush(10_000);
