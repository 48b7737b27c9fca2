import type { ProjectKind } from '../../capture/observations/project-kind.js';
import { compareText } from '../../platform/base/compare-text.js';
import { sumBy } from '../../platform/base/sum.js';
import type { PatternEvidence, TrialCount } from '../evidence/pattern-evidence.js';
import { probabilityOfBetter } from '../statistics/probability.js';
import { type Proportion, wilson } from '../statistics/wilson.js';
import { BREADTH_SETTINGS, CONTRAST_SETTINGS, type Contrast, isApproach } from './contrast.js';

/** The properties of a pattern that decide whether it is divided by kind of project. */
interface ProjectPattern {
  readonly project?: ProjectKind;
  readonly fingerprint: string;
  readonly alsoKnownAs: string[];
  readonly evidence: PatternEvidence;
  readonly contrast: Contrast;
}

/**
 * Divides a pattern by kind of project, unless the evidence supports one pattern for all. It does so if no agent
 * overcame the failure in any of them; or if the common remedy is confirmed in at least two of them, with half of the
 * failures, and was not tried often enough and worse in another. `parts`: one pattern for each kind of project, and one
 * for executions without a known kind.
 */
export function splitByProject<P extends ProjectPattern>(whole: P, parts: readonly P[]): P[] {
  const sorted = [...parts].sort(
    (a, b) => b.evidence.failures - a.evidence.failures || compareText(a.fingerprint, b.fingerprint),
  );
  const isSame = parts.every(({ contrast }) => contrast.chosen === undefined) || isConfirmedIn(whole, sorted);
  if (isSame) {
    for (const { project, fingerprint } of sorted) if (project) whole.alsoKnownAs.push(fingerprint);
    return [whole];
  }
  // An earlier proposal of the undivided pattern is refreshed by the part with the most failures.
  const [most] = sorted;
  if (most?.project) most.alsoKnownAs.push(whole.fingerprint);
  return sorted;
}

function isConfirmedIn(whole: ProjectPattern, parts: readonly ProjectPattern[]): boolean {
  const { chosen } = whole.contrast;
  if (!chosen) return false;
  let [supporters, borneOut] = [0, 0];
  for (const { evidence, contrast } of parts) {
    const tried = [...evidence.trials.values()].filter((trial) => isApproach(trial, chosen));
    const partOutcome = proportionOf(tried);
    const rest = wilson(chosen.outcome.successes - partOutcome.successes, chosen.outcome.n - partOutcome.n);
    if (hasEnoughTrials(tried, partOutcome) && isWorse(partOutcome, rest, contrast.repeat)) return false;
    if (partOutcome.successes === 0 || partOutcome.rate <= contrast.repeat.rate) continue;
    supporters += 1;
    borneOut += evidence.failures;
  }
  const { members, share } = BREADTH_SETTINGS;
  return supporters >= members && borneOut >= share * whole.evidence.failures;
}

function proportionOf(tried: readonly TrialCount[]): Proportion {
  return wilson(
    sumBy(tried, ({ successes }) => successes),
    sumBy(tried, ({ tries }) => tries),
  );
}

function hasEnoughTrials(tried: readonly TrialCount[], { n }: Proportion): boolean {
  const agents = new Set(tried.flatMap((trial) => [...trial.agents.numbers()]));
  return n >= CONTRAST_SETTINGS.minTries && agents.size >= CONTRAST_SETTINGS.minAgents;
}

function isWorse(partOutcome: Proportion, rest: Proportion, repeat: Proportion): boolean {
  return (
    probabilityOfBetter(rest, partOutcome) > BREADTH_SETTINGS.different &&
    probabilityOfBetter(repeat, partOutcome) > 0.5
  );
}
