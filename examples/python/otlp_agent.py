"""An agent that reports itself over OpenTelemetry: pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http

OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4747 OTEL_EXPORTER_OTLP_COMPRESSION=gzip
OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer gba_..." python3 otlp_agent.py "python export.py" "python3 export.py"
"""

import json
import subprocess
import sys

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

provider = TracerProvider(resource=Resource.create({"service.name": "export-agent"}))
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
trace.set_tracer_provider(provider)
tracer = trace.get_tracer("otlp_agent")


def shell(number: int, command: str) -> None:
    """One tool call. An exception that leaves the span is recorded in it, and the call has failed."""
    call = {"gen_ai.tool.name": "shell", "gen_ai.tool.call.id": f"call-{number}"}
    call["gen_ai.tool.call.arguments"] = json.dumps({"command": command})
    with tracer.start_as_current_span("execute_tool shell", attributes={"gen_ai.operation.name": "execute_tool", **call}):
        done = subprocess.run(command, shell=True, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"Exit code {done.returncode}\n{done.stderr}")


run = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "exporter", "gen_ai.conversation.id": "export-1"}
with tracer.start_as_current_span("invoke_agent exporter", attributes=run):
    for n, line in enumerate(sys.argv[1:]):
        try:
            shell(n, line)
        except RuntimeError as error:
            print(error)
provider.shutdown()
