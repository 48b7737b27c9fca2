import { actionFingerprint } from '../../capture/observations/fingerprint.js';
import { skillSlug } from '../../skills/document/slug.js';
import { applicabilityText } from '../claims/applicability.js';
import type { ConfidenceEstimate, ConfidenceEstimator } from '../patterns/confidence.js';
import { SUCCESS, type SuccessPattern } from '../patterns/success.js';
import type { Proportion } from '../statistics/wilson.js';
import { type Draft, uniqueName } from './draft.js';
import { clipAtWord, plainAction } from './plain-text.js';
import type { DraftText } from './wording.js';

/**
 * Words a success pattern; returns undefined if that would show a text from outside. `names`: the names taken in this
 * cycle.
 */
export function draftOfSuccess(
  pattern: SuccessPattern,
  estimator: ConfidenceEstimator,
  names: Set<string>,
): Draft | undefined {
  const { tool, action, chosen, without, counts, using, fingerprint } = pattern;
  const contrast = { repeat: without, alternatives: [chosen], chosen };
  const estimate = estimator.estimate({ failing: counts.executions, using, contrast });
  const confidence = {
    ...estimate,
    basis: `succeeded ${shareText(chosen.outcome)} with it, ${shareText(without)} without`,
  };
  const text = wordSuccessDraft(pattern, confidence);
  if (!text) return undefined;
  return {
    text: { ...text, name: uniqueName(names, text.name, fingerprint) },
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
      confidence,
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

/** Returns the executions that failed without the step, times distinct agents, as for failures. */
export function impactOfSuccess({ counts }: SuccessPattern): number {
  return counts.failures * counts.distinctAgents;
}

function wordSuccessDraft(pattern: SuccessPattern, estimate: ConfidenceEstimate): DraftText | undefined {
  const then = plainAction(pattern.action);
  const before = pattern.before.split(' > ').map(plainAction);
  if (then === undefined || !before.every((step) => step !== undefined)) return undefined;
  const first = before.map((step) => `\`${step}\``).join(', then ');
  const spoken = before.join(' and ');
  const { chosen, without, counts, using } = pattern;
  return {
    name: skillSlug(`${spoken} before ${then}`),
    title: clipAtWord(`Run ${spoken} before ${then}`, 120),
    discovery: clipAtWord(
      `Use when about to run \`${then}\` in a shell. Executions that ran ${first} first succeeded more often.`,
      600,
    ),
    condition: clipAtWord(`\`${then}\` is about to be run in a shell, and ${first} has not been run yet.`, 2_000),
    action: clipAtWord(`Run ${first} first, then \`${then}\`.`, 2_000),
    rationale: clipAtWord(
      [
        `${shareText(chosen.outcome)} judged executions that ran ${first} before \`${then}\` succeeded (95 % interval ${intervalText(chosen.outcome)} %),`,
        ` of those that ran \`${then}\` without it ${shareText(without)} (${intervalText(without)} %).`,
        ` Those that succeeded are of ${counts.agents} agents (${counts.distinctAgents} on independent tasks, owners: ${counts.owners}),`,
        ` seen from ${counts.firstSeen.slice(0, 10)} to ${counts.lastSeen.slice(0, 10)}; ${using} executions in all.`,
        ' It goes together with success; that it is the cause is not shown.',
      ].join(''),
      2_000,
    ),
    steps: [
      ...before.map((step) => `Run \`${step}\` and read what it says.`),
      `Mend what it reports before you go on.`,
      `Run \`${then}\`.`,
    ].map((step) => clipAtWord(step, 500)),
    gotchas: [
      ...(chosen.outcome.successes < chosen.outcome.n
        ? [`It was not enough in ${chosen.outcome.n - chosen.outcome.successes} of ${chosen.outcome.n} executions.`]
        : []),
      ...(counts.owners === 1 ? ['All evidence comes from one owner: the cause may be their projects.'] : []),
    ],
    tags: [
      ...new Set(
        [pattern.tool, then.split(' ')[0] ?? '', 'success pattern'].map((tag) => clipAtWord(skillSlug(tag), 60)),
      ),
    ],
    confidence: estimate.value,
  };
}

const shareText = ({ successes, n }: Proportion): string => `${successes} of ${n}`;
const intervalText = ({ lower, upper }: Proportion): string => `${Math.round(lower * 100)}-${Math.round(upper * 100)}`;
