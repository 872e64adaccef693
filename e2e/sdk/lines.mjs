// An application with @sentry/node. For each line that it reads, it throws an error with that message, and answers with a line
// when the SDK has sent or dropped the error. The DSN is the first argument.
import { createInterface } from "node:readline";
import * as Sentry from "@sentry/node";

Sentry.init({ dsn: process.argv[2] });

for await (const message of createInterface({ input: process.stdin })) {
	Sentry.captureException(new Error(message));
	console.log(await Sentry.flush(10_000));
}
