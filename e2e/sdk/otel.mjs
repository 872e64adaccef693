// An application with only OpenTelemetry, configured by its environment variables. It records an exception on two spans
// and in the log.
import { SpanKind, trace } from "@opentelemetry/api";
import { logs, SeverityNumber } from "@opentelemetry/api-logs";
import { NodeSDK } from "@opentelemetry/sdk-node";

const sdk = new NodeSDK();
sdk.start();

class CartError extends Error {
	name = "CartError";
}

function loadCart(id) {
	throw new CartError(`cart ${id} cannot be loaded`);
}

const tracer = trace.getTracer("shop.tracer");
const serving = { "http.request.method": "POST", "url.full": "https://shop.example/cart", "user.id": "u-17" };
tracer.startActiveSpan("POST /cart", { kind: SpanKind.SERVER, attributes: serving }, (outer) => {
	tracer.startActiveSpan("load cart", (inner) => {
		try {
			loadCart(1001);
		} catch (error) {
			inner.recordException(error);
			outer.recordException(error);
			const attributes = {
				"exception.type": error.name, "exception.message": error.message, "exception.stacktrace": error.stack,
			};
			logs.getLogger("shop.cart").emit({ severityNumber: SeverityNumber.ERROR, body: "cannot load", attributes });
		}
		inner.end();
	});
	outer.end();
});
logs.getLogger("shop.cart").emit({ severityNumber: SeverityNumber.ERROR, body: "nothing was thrown" });
await sdk.shutdown();
