import { kindTool } from '../../capture/errors/error-kind.js';
import { sumBy } from '../../platform/base/sum.js';
import { probabilityOfBetter } from '../statistics/probability.js';
import { type Proportion, wilson } from '../statistics/wilson.js';
import { type Alternative, BREADTH_SETTINGS, CONTRAST_SETTINGS } from './contrast.js';
import type { Pattern } from './pattern.js';

/** The evidence for and against merging several patterns into one. */
export interface Agreement {
  /** Members in which the remedy worked, more often than repeating. */
  readonly supporting: readonly Pattern[];
  /** Members in which the remedy was tried often enough and worked less than elsewhere. */
  readonly contradicting: readonly Pattern[];
  readonly silent: readonly Pattern[];
}

/** Returns the narrow patterns, by action and error class, that a broad one consists of. */
export function narrowPatternsOf(broad: Pattern, patterns: readonly Pattern[]): Pattern[] {
  return patterns.filter(
    ({ granularity, tool, purpose, kind, program }) =>
      granularity === 'class' &&
      (broad.granularity === 'kind'
        ? kind === broad.kind && kindTool(tool, purpose) === broad.tool
        : tool === broad.tool && program === broad.program),
  );
}

/** Returns how often the broad pattern's remedy worked in one of its members. */
export function remedyOutcomeIn(member: Pattern, chosen: Alternative, broad: Pattern): Proportion {
  const same = sameRemedy(member, chosen, broad);
  return wilson(
    sumBy(same, ({ outcome }) => outcome.successes),
    sumBy(same, ({ outcome }) => outcome.n),
  );
}

function sameRemedy(member: Pattern, chosen: Alternative, broad: Pattern): Alternative[] {
  return member.contrast.alternatives.filter(
    ({ how, action, skipsCheck }) =>
      how === chosen.how &&
      skipsCheck === chosen.skipsCheck &&
      // For a relocation, the other path counts in any tool.
      ((broad.granularity === 'kind' && how === 'relocate') ||
        (broad.granularity === 'program' && how === 'replace' ? programOf(action) : action) === chosen.action),
  );
}

/**
 * Compares the members of a broad pattern: the same error in two programs is two patterns unless the evidence supports
 * one remedy.
 */
export function agreementOf(broad: Pattern, chosen: Alternative, members: readonly Pattern[]): Agreement {
  const supporting: Pattern[] = [];
  const contradicting: Pattern[] = [];
  const silent: Pattern[] = [];
  for (const member of members) {
    const memberOutcome = remedyOutcomeIn(member, chosen, broad);
    const rest = wilson(chosen.outcome.successes - memberOutcome.successes, chosen.outcome.n - memberOutcome.n);
    const { repeat } = member.contrast;
    const worse =
      probabilityOfBetter(rest, memberOutcome) > BREADTH_SETTINGS.different &&
      probabilityOfBetter(repeat, memberOutcome) > 0.5;
    // The failures of a single agent are not enough to contradict a lesson.
    const agents = Math.max(0, ...sameRemedy(member, chosen, broad).map((alternative) => alternative.agents));
    const inEarnest = memberOutcome.n >= CONTRAST_SETTINGS.minTries && agents >= CONTRAST_SETTINGS.minAgents;
    if (inEarnest && worse) contradicting.push(member);
    else if (memberOutcome.successes > 0 && memberOutcome.rate > repeat.rate) supporting.push(member);
    else silent.push(member);
  }
  return { supporting, contradicting, silent };
}

export function isConfirmed(broad: Pattern, { supporting, contradicting }: Agreement): boolean {
  const borneOut = sumBy(supporting, ({ evidence }) => evidence.failures);
  return (
    contradicting.length === 0 &&
    supporting.length >= BREADTH_SETTINGS.members &&
    borneOut >= BREADTH_SETTINGS.share * broad.evidence.failures
  );
}

function programOf(action: string): string {
  return action.split(' ')[0] ?? action;
}
