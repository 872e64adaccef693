"""An application with sentry-sdk, whose OTLPIntegration exports spans of OpenTelemetry to the server of the DSN. The DSN is the
first argument."""

import sys

import sentry_sdk
from opentelemetry import trace
from sentry_sdk.integrations.otlp import OTLPIntegration

sentry_sdk.init(dsn=sys.argv[1], release="shop@1.4.0", environment="production", integrations=[OTLPIntegration()])
tracer = trace.get_tracer("shop.tracer")
with tracer.start_as_current_span("healthy"):
    pass
trace.get_tracer_provider().force_flush()  # a failure would be logged, and so reported as an error
with tracer.start_as_current_span("POST /cart") as span:
    try:
        raise ValueError("no address")
    except ValueError as error:
        span.record_exception(error)
with tracer.start_as_current_span("POST /order") as span:
    try:
        raise KeyError("sku")
    except KeyError as error:
        sentry_sdk.capture_exception(error)
        span.record_exception(error)
sentry_sdk.flush(10)  # as in life: spans are exported after seconds
trace.get_tracer_provider().force_flush()
