import type { CallArgument, ToolCall } from '../../capture/report/execution-report.schema.js';
import { argumentsOf } from '../../evidence/calls/call-instance.js';
import type { Dossier } from '../../evidence/dossier/dossier.schema.js';
import { compareText } from '../../platform/base/compare-text.js';
import type { RecordedCall, RecordedExecution } from '../evidence/recorded-execution.js';
import { presentableError } from './presentable-call.js';
import { contrastSets, type WordContrast, type WordsOfExecution, wordsOfCall } from './word-contrast.js';

type Contrast = Dossier['inFailed'][number];

/** Words are shown from this many origins. */
export const ORIGINS_OF_WORD = 3;
/** The smallest difference of two shares that says something, and how many executions must hold the word. */
const DIFFERENCE = 0.08;
const HOLDERS = 3;
/** Words with equal shares on both sides are mostly parts of one thing. */
const SAME_SHARES = 2;
/** How many later calls may be the recovery. */
export const WITHIN = 4;
const NEXT_WORDS = 3;
const GOALS = 3;
/** Bounds for hostile reports: calls of one execution, and words of a contrast that are tested for hostile text. */
const LIMITS = { tested: 60, calls: 200 } as const;

/** One execution with its members, and its calls with the names masked on demand. */
export interface Examined {
  readonly run: RecordedExecution;
  readonly members: readonly number[];
  readonly call: (at: number) => RecordedCall | undefined;
}

/** The first later call of the same goal that worked within four calls; its place. */
export function recoveryOf({ run }: Examined, at: number): number | undefined {
  const goal = run.calls[at]?.goal;
  for (let next = at + 1; next <= at + WITHIN; next += 1) {
    const call = run.calls[next];
    if (call?.ok === true && call.goal === goal) return next;
  }
  return undefined;
}

/** Failed calls of the family against calls of the same goals that worked. */
export function contrastOfCalls(
  own: readonly Examined[],
  all: readonly Examined[],
): Pick<Dossier, 'sameActionWorked' | 'inFailed' | 'inWorked'> {
  const worked = workedOfGoals(own, all);
  const failed = own.map((one) => wordsOf(one, one.members));
  const contrast = contrastSets(
    failed,
    worked.map(({ one, places }) => wordsOf(one, places)),
  );
  const sameActionWorked = worked.reduce((sum, { places }) => sum + places.length, 0);
  if (worked.length < HOLDERS) return { sameActionWorked, inFailed: [], inWorked: [] };
  return { sameActionWorked, inFailed: inHere(contrast, 10), inWorked: inThere(contrast, 10) };
}

/** The calls of the most frequent goals of the family that worked, by execution. */
function workedOfGoals(own: readonly Examined[], all: readonly Examined[]): { one: Examined; places: number[] }[] {
  const counts = new Map<string, number>();
  for (const { run, members } of own)
    for (const goal of new Set(members.map((at) => run.calls[at]?.goal ?? '')))
      counts.set(goal, (counts.get(goal) ?? 0) + 1);
  const goals = new Set(
    [...counts]
      .sort((a, b) => b[1] - a[1] || compareText(a[0], b[0]))
      .slice(0, GOALS)
      .map(([goal]) => goal),
  );
  return all.flatMap((one) => {
    const places = [...one.run.calls.keys()].filter((at) => {
      const call = one.run.calls[at];
      return call?.ok === true && goals.has(call.goal);
    });
    return places.length > 0 ? [{ one, places }] : [];
  });
}

const wordsOf = ({ run, call }: Examined, places: readonly number[]): WordsOfExecution => ({
  origin: run.origin,
  sets: places.slice(0, LIMITS.calls).map((at) => {
    const one = call(at);
    return one ? wordsOfCall(one) : new Set<string>();
  }),
});

/** Words that are more frequent on the first side, as they may be shown. */
function inHere(contrast: readonly WordContrast[], most: number): Contrast[] {
  return shownContrasts(
    contrast
      .filter((one) => one.failedShare - one.workedShare >= DIFFERENCE && one.failed.executions >= HOLDERS)
      .map((one) => ({ ...one, here: one.failedShare, there: one.workedShare })),
    most,
  );
}

/** The same for the second side. */
function inThere(contrast: readonly WordContrast[], most: number): Contrast[] {
  return shownContrasts(
    contrast
      .filter((one) => one.workedShare - one.failedShare >= DIFFERENCE && one.worked.executions >= HOLDERS)
      .map((one) => ({ ...one, here: one.workedShare, there: one.failedShare })),
    most,
  );
}

function shownContrasts(found: readonly (WordContrast & Omit<Contrast, 'word'>)[], most: number): Contrast[] {
  const seen = new Map<string, number>();
  const isNew = ({ here, there }: Omit<Contrast, 'word'>): boolean => {
    const shares = `${here} ${there}`;
    seen.set(shares, (seen.get(shares) ?? 0) + 1);
    return (seen.get(shares) ?? 0) <= SAME_SHARES;
  };
  return found
    .filter(({ failed, worked }) => Math.max(failed.origins, worked.origins) >= ORIGINS_OF_WORD)
    .slice(0, LIMITS.tested)
    .flatMap(({ word, here, there }) => {
      const shown = shownWord(word, 80);
      return shown === null || !isNew({ here, there }) ? [] : [{ word: shown, here, there }];
    })
    .slice(0, most);
}

/** A word that may be shown as it is; null if it is hostile, private or unreadable. */
export function shownWord(word: string, max: number): string | null {
  if (word.length > max || /[`\s]/.test(word.replace(/<[a-z][a-z0-9 -]{0,29}>/g, ''))) return null;
  return presentableError(word) === word ? word : null;
}

/** Argument keys of other tools than a shell, in failed calls and in calls of the same goals that worked. */
export function keysOf(own: readonly Examined[], all: readonly Examined[]): Contrast[] {
  const featuresOf = ({ run }: Examined, places: readonly number[]): WordsOfExecution => ({
    origin: run.origin,
    sets: places.slice(0, LIMITS.calls).flatMap((at) => {
      const call = run.calls[at];
      return call && call.tool !== 'shell'
        ? [argumentFeatures(run.source.report.toolCalls[call.index], call.text)]
        : [];
    }),
  });
  const failed = own.map((one) => featuresOf(one, one.members)).filter(({ sets }) => sets.length > 0);
  const worked = workedOfGoals(own, all)
    .map(({ one, places }) => featuresOf(one, places))
    .filter(({ sets }) => sets.length > 0);
  if (failed.length === 0) return [];
  const listed = contrastSets(failed, worked).filter(
    (one) =>
      Math.max(one.failed.origins, one.worked.origins) >= ORIGINS_OF_WORD &&
      Math.max(one.failed.executions, one.worked.executions) >= HOLDERS &&
      // A key alone says whether it is there; its type only if the types differ.
      Math.abs(one.failedShare - one.workedShare) >= DIFFERENCE,
  );
  const shown = new Set(listed.map(({ word }) => word));
  // Whether a key is there says more than its type, and that it is empty more than another type.
  return shownKeys(
    listed.filter(({ word }) => {
      const [key = ''] = word.split(':', 1);
      return word === key || !(shown.has(key) || (word !== `${key}: empty` && shown.has(`${key}: empty`)));
    }),
  );
}

const shownKeys = (listed: readonly WordContrast[]): Contrast[] =>
  listed
    .filter(({ word }) => presentableError(word) === word)
    .slice(0, 12)
    .map(({ word, failedShare, workedShare }) => ({ word, here: failedShare, there: workedShare }));

/** `limit`, `limit: number`, `path: empty` for each argument. */
function argumentFeatures(call: ToolCall | undefined, text: string): Set<string> {
  const features = new Set<string>();
  const add = (key: string, type: string, isEmpty: boolean): void => {
    if (!/^[A-Za-z_][\w.-]{0,39}$/.test(key)) return;
    features.add(key);
    features.add(`${key}: ${isEmpty ? 'empty' : type}`);
  };
  if (call?.arguments !== undefined)
    for (const one of call.arguments.slice(0, 40)) add(one.key, one.type, isEmpty(one));
  else for (const [key, value] of [...(argumentsOf(text) ?? [])].slice(0, 40)) add(key, 'text', value === '');
  return features;
}

const isEmpty = ({ type, value, length }: CallArgument): boolean =>
  (type === 'text' && (value === '' || length === 0)) || ((type === 'list' || type === 'object') && length === 0);

/** Words of the three calls after the first failure, in executions that recovered against others. */
export function wordsAfter(own: readonly Examined[]): Pick<Dossier, 'afterRecovered' | 'afterOthers'> {
  const recovered: WordsOfExecution[] = [];
  const others: WordsOfExecution[] = [];
  for (const one of own) {
    const at = one.members[0] ?? 0;
    const words = new Set<string>();
    for (let next = at + 1; next <= at + NEXT_WORDS; next += 1) {
      const call = one.call(next);
      if (call) for (const word of wordsOfCall(call)) words.add(word);
    }
    (recoveryOf(one, at) === undefined ? others : recovered).push({ origin: one.run.origin, sets: [words] });
  }
  if (recovered.length < HOLDERS || others.length === 0) return { afterRecovered: [], afterOthers: [] };
  const contrast = contrastSets(recovered, others);
  return { afterRecovered: inHere(contrast, 10), afterOthers: inThere(contrast, 6) };
}
