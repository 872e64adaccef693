// Sends one exception with cause, user, tags and release through @sentry/node. The DSN is the first argument.
import * as Sentry from "@sentry/node";

Sentry.init({
	dsn: process.argv[2],
	release: "shop@1.4.0",
	environment: "production",
});
Sentry.setUser({ id: "u-17", email: "ada@example.com" });
Sentry.setTag("region", "eu");

function readConfig() {
	throw new TypeError("config is not an object");
}

function loadCart(id) {
	try {
		readConfig();
	} catch (cause) {
		throw new Error(`cart ${id} cannot be loaded`, { cause });
	}
}

try {
	loadCart(process.argv[3] ?? "1001");
} catch (error) {
	console.log(Sentry.captureException(error));
}
if (!(await Sentry.flush(10_000))) {
	console.error("the event was not delivered");
	process.exit(1);
}
