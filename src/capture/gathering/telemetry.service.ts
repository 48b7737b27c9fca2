import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/identity/caller.js';
import type { Reporter } from '../../access/identity/reporter.js';
import { ReporterResolver } from '../../access/identity/reporter-resolver.service.js';
import { sumBy } from '../../platform/base/sum.js';
import { hasCredential } from '../../untrusted/identifiers/credential-in-name.js';
import { otelFormat, type TraceFragments } from '../traces/otel.importer.js';
import type { ExportTraceRequest, ExportTraceResponse } from '../traces/otlp.schema.js';
import { type Attributes, textAt } from '../traces/otlp-attributes.js';
import { FragmentAssembler } from './fragment-assembler.service.js';
import { FragmentReader } from './fragment-reader.service.js';

/** Receives traces. `readExport` keeps only what may be stored, before anything is stored. */
@Injectable()
export class Traces {
  constructor(
    private readonly reporters: ReporterResolver,
    private readonly reader: FragmentReader,
    private readonly assembler: FragmentAssembler,
  ) {}

  /**
   * Stores the readable spans and returns the number of rejected ones, as OTLP defines it: clients must not send those
   * again.
   */
  async receive(
    caller: Caller,
    agentName: string | undefined,
    request: ExportTraceRequest,
  ): Promise<ExportTraceResponse> {
    const { traces, unreadable } = await this.reader.readExport(caller.id, request);
    let rejected = unreadable;
    const reasons = unreadable === 0 ? [] : ['spans without a trace id, a span id, a start time or an end time'];
    const named = caller.kind === 'agent' || agentName !== undefined ? traces : traces.filter(hasUsableName);
    if (named.length < traces.length) {
      rejected +=
        sumBy(traces, ({ fragments }) => fragments.length) - sumBy(named, ({ fragments }) => fragments.length);
      reasons.push('spans of a resource whose guildbook.agent or service.name looks like a credential');
    }
    for (const [agent, agentTraces] of await this.byAgent(caller, agentName, named)) {
      const batches = agentTraces.map(({ trace, fragments }) => ({
        format: otelFormat.format,
        key: trace,
        fragments,
      }));
      const added = await this.assembler.add(agent, batches);
      rejected += added.rejected;
      if (added.rejected > 0) reasons.push('traces with more spans than an execution can hold');
    }
    if (rejected === 0) return {};
    return { partialSuccess: { rejectedSpans: String(rejected), errorMessage: [...new Set(reasons)].join('; ') } };
  }

  /**
   * Groups the traces by agent. An agent reports for itself; a collector's credential may name the agent in the
   * resource.
   */
  private async byAgent(
    caller: Caller,
    agentName: string | undefined,
    traces: readonly TraceFragments[],
  ): Promise<Map<Reporter, TraceFragments[]>> {
    const actors = new Map<string, Reporter>();
    const found = new Map<Reporter, TraceFragments[]>();
    // Check the caller also for an export without spans, so that a caller without permission gets the error.
    if (traces.length === 0 && (caller.kind === 'agent' || agentName !== undefined))
      await this.reporters.resolve(caller, agentName);
    for (const trace of traces) {
      const name = caller.kind === 'agent' ? agentName : (agentName ?? agentNameIn(trace.resource));
      const actor = actors.get(name ?? '') ?? (await this.reporters.resolve(caller, name));
      actors.set(name ?? '', actor);
      found.set(actor, [...(found.get(actor) ?? []), trace]);
    }
    return found;
  }
}

/**
 * The agent's name from the resource. `service.instance.id` is not used: by default it changes at every start and would
 * look like another agent.
 */
function agentNameIn(resource: Attributes): string | undefined {
  return (
    rawNameIn(resource)
      ?.replace(/[^\p{L}\p{N} ._@/-]/gu, '-')
      .replace(/^[^\p{L}\p{N}]{1,1000}/u, '')
      .slice(0, 100)
      .trim() || undefined
  );
}

const rawNameIn = (resource: Attributes): string | undefined =>
  textAt(resource, 'guildbook.agent', 'service.name')?.slice(0, 1_000);

/** Checked before the name is cut and cleaned: half a credential would not be recognised. */
const hasUsableName = ({ resource }: TraceFragments): boolean => !hasCredential(rawNameIn(resource) ?? '');
