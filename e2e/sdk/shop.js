// The page's own code. The DSN is in the page's query.
let given; // the last exception that the SDK sent

Sentry.init({
	dsn: new URLSearchParams(location.search).get("dsn"),
	release: "shop@1.4.0",
	beforeSend(event) {
		given = event.exception.values[0];
		return event;
	},
});

function priceOf(item) {
	return item.price.amount;
}

function checkOut() {
	return priceOf({ name: "tea" });
}

document.querySelector("button").onclick = checkOut;

// capture passes an error to the SDK, and waits until it is sent or dropped.
function capture(message) {
	Sentry.captureException(new Error(message));
	return Sentry.flush(10_000);
}

// post sends a text as any page's own code would, and returns what the page can read of the answer.
async function post(url, headers, body) {
	try {
		const answer = await fetch(url, { method: "POST", headers, body });
		const named = (name) => answer.headers.get(name) ?? "";
		return {
			status: answer.status, body: await answer.text(), failure: "",
			rateLimits: named("X-Sentry-Rate-Limits"), retryAfter: named("Retry-After"), sentryError: named("X-Sentry-Error"),
		};
	} catch (failure) {
		return { failure: String(failure) };
	}
}
