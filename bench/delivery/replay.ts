import { type DeliveryOutcome, outcomeTest } from '../../src/effect/delivery-outcome.js';
import { failureShape, recordedExecution } from '../../src/evolve/evidence/recorded-execution.js';
import { AdviceIndex, type Advisable, prepareAdvice } from '../../src/hooks/live-lessons.service.js';
import type { Place } from '../../src/hooks/place.js';
import type { ObservedExecution } from '../fidelity/product-lessons.js';
import { failuresInReport } from '../transfer/coverage.js';

/** A failure at which the product would have advised a run that never saw the advice. */
export interface AdvisedFailure {
  readonly execution: string;
  readonly at: number;
  readonly advisable: Advisable;
  /** Of its decisive error line. */
  readonly template: string;
  /** What the run did afterwards, without having seen the advice. */
  readonly outcome: DeliveryOutcome;
}

/** What a replay of executions gives. */
export interface Replayed {
  readonly failures: number;
  readonly recoverable: number;
  /** Recoverable failures that got advice, and those with an earlier one of the same shape that did. */
  readonly advisedAtOnce: number;
  readonly advisedBefore: number;
  readonly advised: readonly AdvisedFailure[];
}

/**
 * Replays executions call by call: at each failed call asks for advice as the server does, once for each lesson and error
 * shape of a session. Nothing of a later call is known to the advice.
 */
export function replay(executions: readonly ObservedExecution[], advisables: readonly Advisable[]): Replayed {
  const index = new AdviceIndex(advisables.flatMap((one) => prepareAdvice(one) ?? []));
  const judges = new Map(advisables.map((one) => [one.id, outcomeTest(one.predicate)]));
  const advised: AdvisedFailure[] = [];
  let [failures, recoverable, advisedAtOnce, advisedBefore] = [0, 0, 0, 0];
  for (const execution of executions) {
    const { calls } = recordedExecution({ observed: execution.observed, report: execution.report });
    const outcomes = new Map(failuresInReport(execution).map((one) => [one.at, one]));
    failures += outcomes.size;
    const known = new Set<string>();
    const place = placeOf(execution);
    for (const [position, call] of calls.entries()) {
      const isRecoverable = outcomes.get(call.index)?.by !== undefined;
      recoverable += Number(isRecoverable);
      const [advisable] = call.failure ? index.matching(call, place) : [];
      if (!advisable || !call.failure) continue;
      const shape = `${advisable.id} ${failureShape(call)}`;
      advisedBefore += Number(isRecoverable && known.has(shape));
      if (known.has(shape)) continue;
      known.add(shape);
      advisedAtOnce += Number(isRecoverable);
      const outcome = judges.get(advisable.id)?.(calls, position);
      if (outcome === undefined) continue;
      advised.push({
        execution: execution.execution.id,
        at: call.index,
        advisable,
        template: call.failure.template,
        outcome,
      });
    }
  }
  return { failures, recoverable, advisedAtOnce, advisedBefore, advised };
}

function placeOf({ report, observed }: ObservedExecution): Place {
  const { environment = {} } = report;
  const projects = [environment.repository, environment.project, observed.projectName];
  return { harness: environment.harness, projects: projects.filter((one) => one !== undefined) };
}
