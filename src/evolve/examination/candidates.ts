import { appliesTo } from '../../learning/lessons/claim.js';
import { type LearnedLesson, learn } from '../../learning/lessons/learn.js';
import type { LearnedCase } from '../../learning/lessons/learned-case.js';
import { literals } from '../../learning/patterns/matching.js';
import { triesAfter } from '../../learning/recoveries/case.js';
import { FOREIGN_SOURCE, isStep, type RefusedRemedy, SKIPS_CHECK } from '../../learning/recoveries/refused-remedy.js';
import type { Candidate } from '../evidence/candidate.js';
import { type RecordedCall, type RecordedExecution, readsOf } from '../evidence/recorded-execution.js';

/** The failures of a family, and the executions of the learning half. */
export interface FamilySample {
  readonly isMember: (call: RecordedCall) => boolean;
  readonly executions: readonly RecordedExecution[];
  /** Also returns what only skipped a check; the executions must be recorded so. */
  readonly countSkippedChecks?: boolean;
}

/** The most candidates of a family. */
const MOST_CANDIDATES = 40;

/** What the learning core finds in a family, the best supported first. Pure; independent of the order of the executions. */
export function candidatesOf({ isMember, executions, countSkippedChecks = false }: FamilySample): Candidate[] {
  const cases = executions.flatMap((one) => casesIn(one, isMember));
  const allowed = new Set<RefusedRemedy>(countSkippedChecks ? [FOREIGN_SOURCE, SKIPS_CHECK] : [FOREIGN_SOURCE]);
  return learn(cases, allowed)
    .slice(0, MOST_CANDIDATES)
    .map((one) => candidateOf(one, executions, isMember));
}

function casesIn(
  { id, party, origin, finishedAt, calls }: RecordedExecution,
  isMember: FamilySample['isMember'],
): LearnedCase[] {
  const failures = calls.filter((call) => isMember(call) && call.read.failed && call.read.error.length > 0);
  if (failures.length === 0) return [];
  const read = readsOf(calls);
  return failures.map((call) => ({
    run: id,
    agent: party,
    origin,
    finishedAt,
    one: { failed: call.read, tries: triesAfter(read, call.read) },
  }));
}

function candidateOf(
  { claim, supports }: LearnedLesson,
  executions: readonly RecordedExecution[],
  isMember: FamilySample['isMember'],
): Candidate {
  const { key, follow } = claim;
  const [first] = claim.conditions;
  const order = first ? literals(first.remedy) : [];
  const taught = namesIn(follow, '+').sort((a, b) => order.indexOf(a) - order.indexOf(b));
  const avoided = namesIn(follow, '-');
  const step = isStep(key) ? key.slice('step '.length).replaceAll(/⟨\w⟩/g, '').trim() : undefined;
  const changed = [...taught, ...avoided.map((name) => `without ${name}`)];
  const actions = new Set(
    executions.flatMap(({ calls }) =>
      calls.flatMap((call) => (isMember(call) && appliesTo(claim, call.read) ? (call.failure?.action ?? []) : [])),
    ),
  );
  return {
    key: JSON.stringify([key, ...new Set(supports.map(({ of }) => of.one.failed.program).sort())]),
    how: step !== undefined ? 'prepare' : taught.length === 0 && avoided.length > 0 ? 'omit' : 'replace',
    action: (step ?? (changed.join(' ') || key)).slice(0, LONGEST_NAME),
    label: labelOf({ step, taught, avoided, key }).slice(0, LONGEST_NAME),
    taught,
    avoided,
    predicate: { learned: claim },
    ...(actions.size === 1 ? { failingAction: [...actions][0] } : {}),
  };
}

const LONGEST_NAME = 120;

/** The words that a change adds or leaves out. */
const namesIn = (follow: readonly string[], sign: '+' | '-'): string[] =>
  follow.filter((one) => one.startsWith(sign) && !one.includes('⟨')).map((one) => one.slice(1));

interface Named {
  readonly step: string | undefined;
  readonly taught: readonly string[];
  readonly avoided: readonly string[];
  readonly key: string;
}

/** The lesson as a table shows it. */
function labelOf({ step, taught, avoided, key }: Named): string {
  if (step !== undefined) return `${step} first`;
  const [to, out] = [taught.join(' '), avoided.join(' ')];
  if (to === '') return out === '' ? key.slice(1) : `without ${out}`;
  return out === '' ? to : `${to} instead of ${out}`;
}
