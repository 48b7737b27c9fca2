import type { Draft } from '../../src/evolve/drafts/draft.js';
import { type Advisable, strengthOf } from '../../src/hooks/live-lessons.service.js';
import { sha256 } from '../../src/platform/base/canonical-json.js';
import { CYCLE_DEFAULTS, runCycle } from '../../test/support/cycles.js';
import type { ObservedExecution } from '../fidelity/product-lessons.js';
import type { ReadSet } from '../sets/set-reader.js';

/** The executions that are learned from, and those that are replayed. */
export interface TwoHalves<T> {
  readonly learned: readonly T[];
  readonly replayed: readonly T[];
  /** By time, or by a hash of the task where a set has no distinct times. */
  readonly by: 'time' | 'task';
}

/** Splits a set in two by time; without distinct times by task, so that no task is in both. */
export function twoHalves(
  executions: readonly ObservedExecution[],
  isOrdered: ReadSet['isOrdered'],
  seed: number,
): TwoHalves<ObservedExecution> {
  if (isOrdered) {
    const sorted = executions.toSorted((a, b) => (a.startedAt ?? '').localeCompare(b.startedAt ?? ''));
    const middle = Math.floor(sorted.length / 2);
    return { learned: sorted.slice(0, middle), replayed: sorted.slice(middle), by: 'time' };
  }
  const isFirst = ({ row }: ObservedExecution): boolean =>
    Number.parseInt(sha256(`${seed}\n${row.taskId}`).slice(0, 8), 16) % 2 === 0;
  return {
    learned: executions.filter(isFirst),
    replayed: executions.filter((one) => !isFirst(one)),
    by: 'task',
  };
}

/** What one half teaches: lessons as an approved skill advises them, and families that nothing overcame. */
export interface Learned {
  readonly confirmed: number;
  readonly advisables: readonly Advisable[];
  readonly titles: ReadonlyMap<string, string>;
}

/** Runs the product's cycle over executions, and approves what it proposes: an approved skill answers, confirmed or observed. */
export function learnFrom(executions: readonly ObservedExecution[]): Learned {
  const outcome = runCycle({
    executions: executions.map(({ execution }) => execution),
    orgEntries: [],
    pendingProposals: [],
    rejectedFingerprints: [],
    settings: CYCLE_DEFAULTS,
  });
  const drafts: Draft[] = [...outcome.drafts, ...outcome.heldBack];
  return {
    confirmed: drafts.filter(({ evidence }) => evidence.check.verdict === 'confirmed').length,
    advisables: drafts.map(({ actionFingerprint, fingerprint, evidence: { predicate, binding, check } }) => ({
      id: `${fingerprint} ${actionFingerprint}`,
      predicate,
      binding,
      strength: strengthOf(check),
    })),
    titles: new Map(drafts.map((one) => [`${one.fingerprint} ${one.actionFingerprint}`, one.text.title])),
  };
}
