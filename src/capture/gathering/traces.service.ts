import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/identity/caller.js';
import { ReporterResolver } from '../../access/identity/reporter-resolver.service.js';
import type { AgentActor } from '../../journal/actor.js';
import { redact } from '../../untrusted/redaction/redact.js';
import { otelFormat, readExport, type TraceFragments } from '../traces/otel.importer.js';
import type { ExportTraceRequest, ExportTraceResponse } from '../traces/otlp.schema.js';
import { type Attributes, textAt } from '../traces/otlp-attributes.js';
import { FragmentAssembler } from './fragment-assembler.service.js';

/** Traces of agents come in here; nothing of them is stored before `readExport` has taken out what may stay. */
@Injectable()
export class Traces {
  constructor(
    private readonly reporters: ReporterResolver,
    private readonly assembler: FragmentAssembler,
  ) {}

  /** Takes what it can and says how many spans it could not, as OTLP has it: those must not be sent again. */
  async receive(caller: Caller, named: string | undefined, request: ExportTraceRequest): Promise<ExportTraceResponse> {
    const { traces, unreadable } = readExport(request);
    let rejected = unreadable;
    const reasons = unreadable === 0 ? [] : ['spans without a trace id, a span id, a start or an end'];
    for (const [agent, pieces] of await this.byAgent(caller, named, traces)) {
      const batches = pieces.map(({ trace, fragments: spans }) => ({
        format: otelFormat.format,
        key: trace,
        fragments: spans,
      }));
      const added = await this.assembler.add(agent, batches);
      rejected += added.rejected;
      if (added.rejected > 0) reasons.push('traces with more spans than an execution can have');
    }
    if (rejected === 0) return {};
    return { partialSuccess: { rejectedSpans: String(rejected), errorMessage: [...new Set(reasons)].join('; ') } };
  }

  /** An agent reports for itself. A collector's credential may say in the resource who ran it. */
  private async byAgent(
    caller: Caller,
    named: string | undefined,
    traces: readonly TraceFragments[],
  ): Promise<Map<AgentActor, TraceFragments[]>> {
    const actors = new Map<string, AgentActor>();
    const found = new Map<AgentActor, TraceFragments[]>();
    // Also for an export without spans: whoever may not report is told so.
    if (traces.length === 0 && (caller.kind === 'agent' || named !== undefined))
      await this.reporters.resolve(caller, named);
    for (const trace of traces) {
      const name = caller.kind === 'agent' ? named : (named ?? agentIn(trace.resource));
      const actor = actors.get(name ?? '') ?? (await this.reporters.resolve(caller, name));
      actors.set(name ?? '', actor);
      found.set(actor, [...(found.get(actor) ?? []), trace]);
    }
    return found;
  }
}

/** `service.instance.id` is not asked: by default it is another one at every start, and would look like another agent. */
function agentIn(resource: Attributes): string | undefined {
  const given = textAt(resource, 'guildbook.agent', 'service.name');
  const name = given && redact(given.slice(0, 1_000)).text.replace(/[^\p{L}\p{N} ._@/-]/gu, '-');
  return (
    name
      ?.replace(/^[^\p{L}\p{N}]{1,1000}/u, '')
      .slice(0, 100)
      .trim() || undefined
  );
}
