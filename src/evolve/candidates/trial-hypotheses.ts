import { actionShape } from '../../capture/actions/action.js';
import type { Trial } from '../../capture/observations/episode.js';
import { wordPattern } from '../../evidence/predicate/pattern-text.js';
import type { Matcher } from '../../evidence/predicate/predicate.schema.js';
import { type Firing, mostFrequent } from './firing.js';
import { type Hypothesis, IS_SAME, type Sample } from './hypothesis.js';
import { PREPARES } from './step-hypotheses.js';

const MIN_EXECUTIONS = 2;
const MOST = 10;

/** What was tried after the failure, as observed: another action, or the same without a step or after one on its line. */
export function trialHypotheses({ firings, conditionOf, when, countSkippedChecks }: Sample): Hypothesis[] {
  const found = new Map<string, { one: Hypothesis; executions: Set<string> }>();
  const conditions = new Map<string, readonly Matcher[]>();
  /** About the failures of one action alone, since another one has no such form. */
  const whenOf = (action: string): readonly Matcher[] => {
    const own = firings.filter(({ failed }) => failed.failure?.action === action);
    const known = conditions.get(action) ?? (own.length === firings.length ? when : conditionOf(own));
    conditions.set(action, known);
    return known;
  };
  for (const firing of firings)
    for (const trial of trialsOf(firing)) {
      const counts = trial.worked && (countSkippedChecks || !trial.skipsCheck);
      const one = counts ? hypothesisOf(firing, trial, when, whenOf) : undefined;
      if (!one) continue;
      const key = JSON.stringify(one.predicate.follow) + JSON.stringify(one.predicate.attempt);
      const known = found.get(key) ?? { one, executions: new Set() };
      found.set(key, { one: known.one, executions: known.executions.add(firing.execution.id) });
    }
  return mostFrequent([...found].flatMap(([key, { executions }]) => [...executions].map(() => key)))
    .filter(([, n]) => n >= MIN_EXECUTIONS)
    .slice(0, MOST)
    .flatMap(([key]) => found.get(key)?.one ?? []);
}

/** The trials of a failure, each once. */
export function trialsOf({ execution, failed }: Firing): Trial[] {
  const found = new Map<string, Trial>();
  for (const { trials } of execution.source.observed.episodes)
    for (const trial of trials) {
      const key = `${trial.at} ${trial.how} ${trial.coarse}`;
      if (trial.from === failed.index && !found.has(key)) found.set(key, trial);
    }
  return [...found.values()];
}

function hypothesisOf(
  { failed, execution }: Firing,
  trial: Trial,
  when: readonly Matcher[],
  whenOf: (action: string) => readonly Matcher[],
): Hypothesis | undefined {
  const { how, coarse, via } = trial;
  const later = execution.calls.find(({ index }) => index === trial.at);
  const base = { how, action: coarse, context: '', taught: [coarse], avoided: [] };
  if (how === 'replace' && later && coarse !== failed.failure?.action && !failed.actions.has(coarse)) {
    const isSame = later.goal === failed.goal;
    const follow: Matcher = { ...actionOf(later.tool, coarse), ...(isSame ? IS_SAME : {}) };
    const failing = failed.failure?.action;
    const isForm = isSame && failing !== undefined;
    if (!isForm)
      return {
        ...base,
        kind: 'action',
        predicate: { when: [...when], follow, against: failing ? { action: failing } : IS_SAME },
      };
    const own = whenOf(failing);
    if (own.length === 0) return undefined;
    return {
      ...base,
      kind: 'form',
      avoided: [failing],
      predicate: { when: [...own], follow, against: { ...IS_SAME, action: failing } },
    };
  }
  // What no error names is missing because the later call asks for something else.
  const [program = ''] = coarse.split(' ');
  if (how === 'omit' && failed.error.toLowerCase().includes(program.toLowerCase()))
    return {
      ...base,
      taught: [],
      avoided: [coarse],
      ...(/^(?:cd|pushd)$/.test(coarse) ? { how: 'relocate', action: 'shell' } : {}),
      kind: 'form',
      predicate: {
        when: [...when],
        follow: { ...IS_SAME, drops: wordPattern(coarse) },
        against: { ...IS_SAME, args: wordPattern(coarse) },
      },
    };
  if (how === 'prepare' && (via ?? []).length === 0 && PREPARES.test(actionShape('shell', coarse).purpose))
    return {
      ...base,
      kind: 'action',
      predicate: {
        when: [...when],
        follow: { ...IS_SAME, adds: wordPattern(coarse) },
        against: { ...IS_SAME, notArgs: wordPattern(coarse) },
      },
    };
  return undefined;
}

const actionOf = (tool: string, coarse: string): Matcher =>
  tool === 'shell' || coarse.startsWith('sql ') ? { action: coarse } : { tool: tool.replace(/[^\w.:-]/g, '.') };
