import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/identity/caller.js';
import type { Reporter } from '../../access/identity/reporter.js';
import { ReporterResolver } from '../../access/identity/reporter-resolver.service.js';
import { sumBy } from '../../platform/base/sum.js';
import { hasCredential } from '../../untrusted/redaction/credential-in-name.js';
import type { ExportLogsResponse, ExportTraceResponse } from '../traces/otlp.schema.js';
import { type Attributes, textAt } from '../traces/otlp-attributes.js';
import type { ReceivedExport } from '../traces/received-export.js';
import type { PlacedFragments } from '../traces/telemetry-export.js';
import { FragmentAssembler } from './fragment-assembler.service.js';
import { FragmentReader } from './fragment-reader.service.js';

interface Rejection {
  readonly count: number;
  readonly reason: string;
}

/** Receives traces and log records. `readExport` keeps only what may be stored, before anything is stored. */
@Injectable()
export class Telemetry {
  constructor(
    private readonly reporters: ReporterResolver,
    private readonly reader: FragmentReader,
    private readonly assembler: FragmentAssembler,
  ) {}

  /**
   * Stores the readable spans and returns the number of rejected ones, as OTLP defines it: clients must not send those
   * again.
   */
  async receiveTraces(
    caller: Caller,
    agentName: string | undefined,
    received: Extract<ReceivedExport, { signal: 'traces' }>,
  ): Promise<ExportTraceResponse> {
    const partial = partialSuccess(await this.receive(caller, agentName, received));
    return partial === undefined
      ? {}
      : { partialSuccess: { rejectedSpans: String(partial.count), errorMessage: partial.reason } };
  }

  /** The same for log records. Those that say nothing about an execution are accepted and dropped. */
  async receiveLogs(
    caller: Caller,
    agentName: string | undefined,
    received: Extract<ReceivedExport, { signal: 'logs' }>,
  ): Promise<ExportLogsResponse> {
    const partial = partialSuccess(await this.receive(caller, agentName, received));
    return partial === undefined
      ? {}
      : { partialSuccess: { rejectedLogRecords: String(partial.count), errorMessage: partial.reason } };
  }

  private async receive(caller: Caller, agentName: string | undefined, received: ReceivedExport): Promise<Rejection[]> {
    const { placed, unreadable } = await this.reader.readExport(caller.id, received);
    const rejections: Rejection[] = [{ count: unreadable, reason: UNREADABLE[received.signal] }];
    const named = caller.kind === 'agent' || agentName !== undefined ? placed : placed.filter(hasUsableName);
    rejections.push({
      count: sumBy(placed, ({ records }) => records) - sumBy(named, ({ records }) => records),
      reason: 'records of a resource whose guildbook.agent or service.name looks like a credential',
    });
    for (const [agent, ofAgent] of await this.byAgent(caller, agentName, named)) {
      const { rejected } = await this.assembler.add(agent, ofAgent);
      // A record can have several fragments.
      const count = Math.min(
        rejected,
        sumBy(ofAgent, ({ records }) => records),
      );
      rejections.push({ count, reason: 'records beyond those that an execution can hold' });
    }
    return rejections;
  }

  /**
   * Groups the fragments by agent. An agent reports for itself; a collector's credential may name the agent in the
   * resource.
   */
  private async byAgent(
    caller: Caller,
    agentName: string | undefined,
    placed: readonly PlacedFragments[],
  ): Promise<Map<Reporter, PlacedFragments[]>> {
    const actors = new Map<string, Reporter>();
    const found = new Map<Reporter, PlacedFragments[]>();
    // Check the caller also for an export without records, so that a caller without permission gets the error.
    if (placed.length === 0 && (caller.kind === 'agent' || agentName !== undefined))
      await this.reporters.resolve(caller, agentName);
    for (const one of placed) {
      const name = caller.kind === 'agent' ? agentName : (agentName ?? agentNameIn(one.resource));
      const actor = actors.get(name ?? '') ?? (await this.reporters.resolve(caller, name));
      actors.set(name ?? '', actor);
      found.set(actor, [...(found.get(actor) ?? []), one]);
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
const hasUsableName = ({ resource }: PlacedFragments): boolean => !hasCredential(rawNameIn(resource) ?? '');

const UNREADABLE = {
  traces: 'spans without a trace id, a span id, a start time or an end time',
  logs: 'log records that are no objects',
} as const;

/** Undefined if everything was accepted. */
function partialSuccess(rejections: readonly Rejection[]): Rejection | undefined {
  const found = rejections.filter(({ count }) => count > 0);
  if (found.length === 0) return undefined;
  const reasons = new Set(found.map(({ reason }) => reason));
  return { count: sumBy(found, ({ count }) => count), reason: [...reasons].join('; ') };
}
