// Sends messages and errors in the ways that applications do. The arguments are the DSN and the package of the SDK.
const [, , dsn, sdk] = process.argv;
const Sentry = await import(sdk);

Sentry.init({
	dsn,
	release: "shop@1.4.0",
	integrations: [Sentry.captureConsoleIntegration({ levels: ["error"] })],
});

const log = { error: (text) => Sentry.captureMessage(text, "error") };

function notifyOps(text) {
	Sentry.captureMessage(text);
}

function pay(order) {
	throw new TypeError(`order ${order} has no address`);
}

notifyOps("the cache is cold");
log.error("payment refused");
log.error("stock is empty");
log.error("order 41 is late");
log.error("order 42 is late");
for (const user of ["ann", "bob"]) {
	Sentry.captureMessage(Sentry.parameterize`cart of ${user} is lost`);
}
console.error("the console says no");
try {
	pay(7);
} catch (error) {
	Sentry.captureException(error);
}
if (!(await Sentry.flush(10_000))) {
	console.error("the events were not delivered");
	process.exit(1);
}
