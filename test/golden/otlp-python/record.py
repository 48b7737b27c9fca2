"""Records what the official Python exporter sends about one run, as it is on the wire: protobuf in gzip.

python3 record.py   (pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http)

Writes traces.pb.gz and logs.pb.gz beside this file. The ids are new at each run.
"""

import http.server
import json
import pathlib
import threading

from opentelemetry._logs import LogRecord
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import set_span_in_context
from opentelemetry.trace.status import StatusCode

FOLDER = pathlib.Path(__file__).parent
SECOND = 1_000_000_000
START = 1_774_980_000 * SECOND
WORDS = "the heron stands in the reeds"


class Recorder(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        (FOLDER / f"{self.path.rsplit('/', 1)[1]}.pb.gz").write_bytes(body)
        self.send_response(200)
        self.send_header("content-type", "application/x-protobuf")
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Recorder)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/v1"

resource = Resource({"service.name": "heron-agent", "telemetry.sdk.language": "python"})
spans = TracerProvider(resource=resource)
spans.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{url}/traces", compression=Compression.Gzip)))
logs = LoggerProvider(resource=resource)
logs.add_log_record_processor(SimpleLogRecordProcessor(OTLPLogExporter(f"{url}/logs", compression=Compression.Gzip)))
tracer = spans.get_tracer("heron")

agent = tracer.start_span("reeds", start_time=START, attributes={
    "openinference.span.kind": "AGENT", "agent.name": "heron", "session.id": "reeds-1",
    "input.value": WORDS, "output.value": WORDS, "user.id": WORDS,
})
inside = set_span_in_context(agent)


def model(at: int, **attributes) -> None:
    span = tracer.start_span("ChatCompletion", inside, start_time=START + at * SECOND, attributes={
        "openinference.span.kind": "LLM", "llm.model_name": "reed-model", **attributes,
    })
    logs.get_logger("heron").emit(LogRecord(
        timestamp=START + at * SECOND, context=set_span_in_context(span), body=WORDS,
        event_name="gen_ai.client.inference.operation.details", attributes={
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": WORDS}]}],
        },
    )) if at == 1 else None
    span.end(START + (at + 1) * SECOND)


def tool(number: int, at: int, command: str, error: str | None = None) -> None:
    span = tracer.start_span("run_command", inside, start_time=START + at * SECOND, attributes={
        "openinference.span.kind": "TOOL", "tool.name": "bash", "tool_call.id": f"call-{number}",
        "input.value": json.dumps({"command": command}), "input.mime_type": "application/json", "output.value": WORDS,
    })
    if error is not None:
        span.record_exception(RuntimeError(error), timestamp=START + at * SECOND)
        span.set_status(StatusCode.ERROR, f"RuntimeError: {error}")
    span.end(START + (at + 1) * SECOND)


asked = "llm.output_messages.0.message"
model(1, **{
    "llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": WORDS,
    f"{asked}.role": "assistant", f"{asked}.tool_calls.0.tool_call.id": "call-1",
    f"{asked}.tool_calls.0.tool_call.function.name": "bash",
    f"{asked}.tool_calls.0.tool_call.function.arguments": '{"command": "python count.py"}',
})
tool(1, 3, "python count.py", "Exit code 1\nSyntaxError: invalid syntax")
model(5)
tool(2, 7, "python3 count.py")
model(9, **{"llm.finish_reason": "stop"})
agent.end(START + 11 * SECOND)
spans.shutdown()
logs.shutdown()
server.shutdown()
