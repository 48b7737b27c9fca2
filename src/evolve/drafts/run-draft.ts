import { wordsOfLine } from '../../evidence/calls/call-words.js';
import { splitAtPlaceholders } from '../../evidence/calls/placeholder.js';
import { callText, type ShownCall } from '../../evidence/calls/shown-call.schema.js';
import type { Check } from '../../evidence/predicate/check.schema.js';
import { generalise } from '../../learning/patterns/generalise.js';
import { literals, patternLine } from '../../learning/patterns/matching.js';
import { skillSlug } from '../../skills/document/slug.js';
import type { RunCase } from '../cases/run-cases.js';
import { environmentOf } from '../dossiers/shared-environment.js';
import { type Draft, type DraftIdentity, uniqueName } from './draft.js';
import { clipAtWord, plainName } from './plain-text.js';

/**
 * Words a step that good runs take before an action; returns undefined if the calls of the executions that ended well
 * share no form. `names`: the names taken in this cycle.
 */
export function draftOfRuns(identity: DraftIdentity, cases: readonly RunCase[], names: Set<string>): Draft | undefined {
  const { chosen, failingAction, tool } = identity.evidence;
  const [step, then] = [commonForm(cases, (one) => one.step), commonForm(cases, (one) => one.goal)];
  const [spoken, goal] = [plainName(chosen.action), plainName(failingAction)];
  if (!step || !then || spoken === undefined || goal === undefined) return undefined;
  if (ROUTINE.test(then.tool) || ROUTINE.test(step.tool) || !endsBetter(identity.evidence.check)) return undefined;
  const named = literal(step) ?? spoken;
  const environment = environmentOf(cases);
  const [does, isShell] = [step.tool === 'shell' ? 'Run' : 'Call', then.tool === 'shell'];
  const text = {
    name: skillSlug(`${spoken} before ${goal}`),
    title: clipAtWord(`${does} ${named} before ${goal}`, 120),
    discovery: clipAtWord(
      `Use when about to ${isShell ? 'run' : 'call'} ${goal}${isShell ? ' in a shell' : ''}. ${does} ${named} first.`,
      600,
    ),
    condition: clipAtWord(
      `About to ${isShell ? 'run' : 'call'} ${code(then)}, and ${code(step)} has not been ${does === 'Run' ? 'run' : 'called'} since the last change.`,
      2_000,
    ),
    action: clipAtWord(`${does} ${code(step)} first, then ${code(then)}.`, 2_000),
    rationale: `Executions that did this first were judged successful more often. That this is the cause is not shown.`,
    steps: [`${does} ${code(step)} and mend what it reports.`, `${isShell ? 'Run' : 'Call'} ${code(then)}.`],
    gotchas: [],
    tags: [
      ...new Set([tool, goal.split(' ')[0] ?? '', 'success pattern'].map((tag) => clipAtWord(skillSlug(tag), 60))),
    ],
    ...(environment.length > 0 ? { environment } : {}),
  };
  return {
    ...identity,
    text: { ...text, name: uniqueName(names, text.name, identity.fingerprint) },
    calls: { worked: distinct(cases.flatMap((one) => [one.step, one.goal])), failed: [] },
  };
}

/** A call in a sentence: the command line, or the tool with its arguments. */
function code({ tool, call }: ShownCall): string {
  if (tool === 'shell') return `\`${call}\``;
  return call.startsWith('{') && call.endsWith('}') && call !== '{}' ? `\`${tool}\` with \`${call}\`` : `\`${tool}\``;
}

/** A call without placeholders, or undefined if it has one. */
const literal = ({ tool, call }: ShownCall): string | undefined =>
  tool === 'shell' && splitAtPlaceholders(call).every(({ isPlaceholder }) => !isPlaceholder) ? call : undefined;

/** Tools whose calls have no result that another step could improve. */
const ROUTINE = /^(?:think\w*|plan\w*|exit_?plan\w*|todo\w*|task\w*|submit|finish|answer|respond|wait|sleep)$/i;

/** Returns whether the figures say what the text says: executions with the step were judged successful more often. */
function endsBetter({ comparisons }: Check): boolean {
  const whole = comparisons.find(({ kind }) => kind === 'execution');
  if (!whole || whole.with.n === 0 || whole.without.n === 0) return false;
  return whole.with.worked * whole.without.n > whole.without.worked * whole.with.n;
}

/**
 * The call that most of the executions took word for word, otherwise what all of them share; undefined if it is that of a
 * single origin, or if only the tool is the same.
 */
function commonForm(cases: readonly RunCase[], callOf: (one: RunCase) => ShownCall): ShownCall | undefined {
  const origins = new Map<string, Set<string>>();
  for (const one of cases) {
    const key = callText(callOf(one));
    origins.set(key, (origins.get(key) ?? new Set()).add(one.origin));
  }
  const all = new Set(cases.map(({ origin }) => origin)).size;
  if (all < FEWEST_ORIGINS) return undefined;
  const calls = cases.map(callOf);
  const usual = calls.find((call) => 2 * (origins.get(callText(call))?.size ?? 0) > all);
  if (usual) return usual;
  if (calls.some(({ tool }) => tool !== 'shell')) return undefined;
  const [shared = []] = generalise(calls.map(({ call }) => [wordsOfLine(call)])).parts;
  return literals(shared).length === 0 ? undefined : { tool: 'shell', call: patternLine(shared) };
}

const FEWEST_ORIGINS = 2;
const MOST_CALLS = 40;

function distinct(calls: readonly ShownCall[]): ShownCall[] {
  return [...new Map(calls.map((call) => [`${call.tool} ${call.call}`, call])).values()].slice(0, MOST_CALLS);
}
