import { actionFingerprint } from '../../capture/observations/fingerprint.js';
import { formOf } from '../../evidence/calls/call-form.js';
import type { ShownCall } from '../../evidence/calls/shown-call.schema.js';
import { skillSlug } from '../../skills/document/slug.js';
import { environmentOf, environmentSentence } from '../cases/case-environment.js';
import type { SuccessCase } from '../cases/success-cases.js';
import { applicabilityText } from '../claims/applicability.js';
import type { ConfidenceEstimator } from '../patterns/confidence.js';
import { SUCCESS, type SuccessPattern } from '../patterns/success.js';
import type { Proportion } from '../statistics/wilson.js';
import { type Draft, type DraftIdentity, uniqueName } from './draft.js';
import { code, literal } from './phrase.js';
import { clipAtWord, plainName } from './plain-text.js';

/** What identifies the draft of a success pattern. */
export function identityOfSuccess(pattern: SuccessPattern, estimator: ConfidenceEstimator): DraftIdentity {
  const { tool, action, chosen, without, counts, using, fingerprint } = pattern;
  const contrast = { repeat: without, alternatives: [chosen], chosen };
  const estimate = estimator.estimate({ failing: counts.executions, using, contrast });
  return {
    evidence: {
      tool,
      purpose: SUCCESS,
      failingAction: action,
      coarse: action,
      errorClasses: [`without ${chosen.label}`],
      template: '',
      granularity: 'success',
      counts,
      using,
      confidence: {
        ...estimate,
        basis: `succeeded ${shareText(chosen.outcome)} with it, ${shareText(without)} without`,
      },
      estimator: estimator.name,
      repeat: without,
      chosen,
      alternatives: [chosen],
      windows: [{ window: `${pattern.before} > ${action}`, executions: chosen.outcome.n }],
      impact: impactOfSuccess(pattern),
    },
    fingerprint,
    fingerprints: [fingerprint],
    actionFingerprint: actionFingerprint(chosen.how, chosen.action),
    applicability: applicabilityText(tool, action, SUCCESS),
  };
}

/**
 * Words a success pattern; returns undefined if the calls of the executions that succeeded share no form. `names`: the
 * names taken in this cycle.
 */
export function draftOfSuccess(
  pattern: SuccessPattern,
  identity: DraftIdentity,
  cases: readonly SuccessCase[],
  names: Set<string>,
): Draft | undefined {
  const stepsBefore = pattern.before.split(' > ').map((_, at) => commonForm(cases, ({ steps }) => steps[at]));
  const then = commonForm(cases, (one) => one.then);
  const [spoken, goal] = [pattern.before.split(' > ').map(plainName), plainName(pattern.action)];
  const steps = stepsBefore.flatMap((form) => form ?? []);
  if (then === undefined || goal === undefined || steps.length < stepsBefore.length) return undefined;
  if (!spoken.every((step) => step !== undefined)) return undefined;
  const named = steps.map((step, at) => literal(step) ?? spoken[at] ?? '').join(' and then ');
  const first = steps.map(code).join(', then ');
  const environment = environmentOf(cases);
  const where = environmentSentence(environment);
  const text = {
    name: skillSlug(`${spoken.join(' and ')} before ${goal}`),
    title: clipAtWord(`Run ${named} before ${goal}`, 120),
    discovery: clipAtWord(`Use when about to run ${goal} in a shell. Run ${named} first.`, 600),
    condition: clipAtWord(
      `About to run ${code(then)}, and ${first} has not been run since the last change.${where === '' ? '' : ` ${where}`}`,
      2_000,
    ),
    action: clipAtWord(`Run ${first} first, then ${code(then)}.`, 2_000),
    rationale: `Executions that ran ${named} first were judged successful more often. That this is the cause is not shown.`,
    steps: [...steps.map((step) => `Run ${code(step)} and mend what it reports.`), `Run ${code(then)}.`],
    gotchas: [],
    tags: tagsOf(pattern, goal),
    confidence: identity.evidence.confidence.value,
    ...(environment.length > 0 ? { environment } : {}),
  };
  const calls = distinct(cases.flatMap((one) => [...one.steps, one.then]));
  return {
    ...identity,
    text: { ...text, name: uniqueName(names, text.name, pattern.fingerprint) },
    calls: { worked: calls, failed: [] },
  };
}

/** The form of a call that the executions share; undefined if it is that of a single origin. */
function commonForm(
  cases: readonly SuccessCase[],
  callOf: (one: SuccessCase) => ShownCall | undefined,
): ShownCall | undefined {
  const observed = cases.flatMap((one) => {
    const call = callOf(one);
    const { project } = one.environment;
    return call ? [{ call, origin: one.origin, ...(project ? { project } : {}) }] : [];
  });
  const found = formOf(observed);
  return found && found.origins >= FEWEST_ORIGINS ? found.form : undefined;
}

const FEWEST_ORIGINS = 2;
const MOST_CALLS = 40;

function distinct(calls: readonly ShownCall[]): ShownCall[] {
  return [...new Map(calls.map((call) => [`${call.tool} ${call.call}`, call])).values()].slice(0, MOST_CALLS);
}

function tagsOf({ tool }: SuccessPattern, goal: string): string[] {
  const names = [tool, goal.split(' ')[0] ?? '', 'success pattern'];
  return [...new Set(names.map((tag) => clipAtWord(skillSlug(tag), 60)))];
}

/** Returns the executions that failed without the step, times distinct agents, as for failures. */
export function impactOfSuccess({ counts }: SuccessPattern): number {
  return counts.failures * counts.distinctAgents;
}

const shareText = ({ successes, n }: Proportion): string => `${successes} of ${n}`;
