"""An application with OpenTelemetry and nothing else, set up by its environment variables. An exception goes through two spans
and into the log."""

import logging

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider, LoggingHandler
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor


class CartError(Exception):
    pass


def read_config():
    return {}["limit"]


def load_cart(number):
    try:
        read_config()
    except KeyError as cause:
        raise CartError(f"cart {number} cannot be loaded") from cause


spans, records = TracerProvider(), LoggerProvider()
spans.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
records.add_log_record_processor(SimpleLogRecordProcessor(OTLPLogExporter()))
logger = logging.getLogger("shop.cart")
logger.addHandler(LoggingHandler(logger_provider=records))
tracer = spans.get_tracer("shop.tracer")

serving = {"http.request.method": "POST", "url.full": "https://shop.example/cart", "user.id": "u-17"}
try:
    with tracer.start_as_current_span("POST /cart", kind=trace.SpanKind.SERVER, attributes=serving):
        with tracer.start_as_current_span("load cart"):
            load_cart(1001)
except CartError:
    pass
with tracer.start_as_current_span("POST /order"):
    try:
        raise ValueError("no address")
    except ValueError:
        logger.exception("cannot order")
logger.error("nothing was raised")
spans.shutdown()
records.shutdown()
