import { Injectable } from '@nestjs/common';
import { ProposalQueue } from '../approvals/queue/proposal-queue.service.js';
import { ExecutionReader, type ReportedRow } from '../capture/store/execution-reader.service.js';
import type { Predicate } from '../evidence/predicate/predicate.schema.js';
import { failureShape, recordedExecution } from '../evolve/evidence/recorded-execution.js';
import { jobActor } from '../journal/actor.js';
import { defineWorker } from '../platform/background/worker.js';
import { Clock } from '../platform/base/clock.js';
import { DAY_MS } from '../platform/base/durations.js';
import { IdentifierReferences } from '../platform/database/identifier-references.service.js';
import { Deliveries } from '../skills/delivery/deliveries.service.js';
import { outcomeTest } from './delivery-outcome.js';

const ACTOR = jobActor('delivery-judge');
const BATCH = 100;
/** A session that has not been reported by then never will be. */
const WAITS_MS = 7 * DAY_MS;
const NO_CLAIM: Predicate = {};

type Waiting = Awaited<ReturnType<Deliveries['reported']>>[number];

/** Finds out from the report of a session what became of the lessons that it received after its failures. */
@Injectable()
export class DeliveryJudge extends defineWorker() {
  constructor(
    private readonly clock: Clock,
    private readonly deliveries: Deliveries,
    private readonly executions: ExecutionReader,
    private readonly queue: ProposalQueue,
    private readonly references: IdentifierReferences,
  ) {
    super();
  }

  protected async step(): Promise<boolean> {
    const since = new Date(this.clock.now().getTime() - WAITS_MS);
    const waiting = await this.deliveries.reported(since, BATCH);
    if (waiting.length === 0) return false;
    const claims = await this.queue.predicates(waiting.flatMap(({ proposalId }) => proposalId ?? []));
    const reports = new Map<string, ReportedRow>();
    for await (const row of this.executions.readReported([...new Set(waiting.map(({ execution }) => execution))]))
      reports.set(row.observed.executionId, row);
    const judged = waiting.map((one) => ({
      id: one.id,
      executionId: one.execution,
      ...this.outcomeOf(one, reports.get(one.execution), claims.get(one.proposalId ?? '')?.predicate ?? NO_CLAIM),
    }));
    await this.deliveries.judge(ACTOR, judged);
    return waiting.length === BATCH;
  }

  /** All null if the report does not show the failure. */
  private outcomeOf({ shape }: Waiting, row: ReportedRow | undefined, predicate: Predicate) {
    const unknown = { followed: null, overcome: null, calls: null, seconds: null, again: null };
    if (!row) return unknown;
    const { calls } = recordedExecution(row);
    const at = calls.findIndex((call) => {
      const own = failureShape(call);
      return own !== undefined && this.references.keyOf(own) === shape;
    });
    if (at < 0) return unknown;
    const { followed, overcome, calls: needed, again } = outcomeTest(predicate)(calls, at);
    const first = (calls[at]?.index ?? 0) + 1;
    const seconds = needed === undefined ? null : secondsOf(row.report.toolCalls.slice(first, first + needed));
    return {
      followed: predicate === NO_CLAIM ? null : followed !== undefined,
      overcome,
      calls: needed ?? null,
      seconds,
      again,
    };
  }
}

/** The time in tools; null if a call does not say how long it took. */
function secondsOf(calls: readonly { readonly durationMs?: number | undefined }[]): number | null {
  let sum = 0;
  for (const { durationMs } of calls) {
    if (durationMs === undefined) return null;
    sum += durationMs;
  }
  return Math.round(sum / 1_000);
}
