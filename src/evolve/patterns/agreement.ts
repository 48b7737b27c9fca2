import { kindTool } from '../../capture/errors/error-kind.js';
import { sumBy } from '../../platform/base/sum.js';
import { probabilityOfBetter } from '../statistics/probability.js';
import { type Proportion, wilson } from '../statistics/wilson.js';
import { type Alternative, BREADTH_SETTINGS, CONTRAST_SETTINGS } from './contrast.js';
import type { Pattern } from './pattern.js';

/** What speaks for telling several patterns as one, and what against it. */
export interface Agreement {
  /** Members in which the remedy worked, and better than repeating. */
  readonly supporting: readonly Pattern[];
  /** Members in which it was tried in earnest and did not do what it does elsewhere. */
  readonly contradicting: readonly Pattern[];
  readonly silent: readonly Pattern[];
}

/** The narrow patterns, by action and error class, that a broad one is made of. */
export function narrowPatternsOf(broad: Pattern, patterns: readonly Pattern[]): Pattern[] {
  return patterns.filter(
    ({ granularity, tool, purpose, kind, program }) =>
      granularity === 'class' &&
      (broad.granularity === 'kind'
        ? kind === broad.kind && kindTool(tool, purpose) === broad.tool
        : tool === broad.tool && program === broad.program),
  );
}

/** How the broad pattern's remedy did in one of its members. */
export function remedyOutcomeIn(member: Pattern, chosen: Alternative, broad: Pattern): Proportion {
  const same = sameRemedy(member, chosen, broad);
  return wilson(
    sumBy(same, ({ outcome }) => outcome.successes),
    sumBy(same, ({ outcome }) => outcome.n),
  );
}

function sameRemedy(member: Pattern, chosen: Alternative, broad: Pattern): Alternative[] {
  return member.contrast.alternatives.filter(
    ({ how, action }) =>
      how === chosen.how &&
      // elsewhere is elsewhere, whichever tool went there
      ((broad.granularity === 'kind' && how === 'relocate') ||
        (broad.granularity === 'program' && how === 'replace' ? programOf(action) : action) === chosen.action),
  );
}

/**
 * Whether the members of a broad pattern bear its remedy out: the same error in two programs is two patterns unless the
 * evidence says otherwise.
 */
export function agreementOf(broad: Pattern, chosen: Alternative, members: readonly Pattern[]): Agreement {
  const supporting: Pattern[] = [];
  const contradicting: Pattern[] = [];
  const silent: Pattern[] = [];
  for (const member of members) {
    const own = remedyOutcomeIn(member, chosen, broad);
    const rest = wilson(chosen.outcome.successes - own.successes, chosen.outcome.n - own.n);
    const { repeat } = member.contrast;
    const worse = probabilityOfBetter(rest, own) > BREADTH_SETTINGS.different && probabilityOfBetter(repeat, own) > 0.5;
    // what one agent met is no more evidence against a lesson than it is for one
    const agents = Math.max(0, ...sameRemedy(member, chosen, broad).map((alternative) => alternative.agents));
    const inEarnest = own.n >= CONTRAST_SETTINGS.minTries && agents >= CONTRAST_SETTINGS.minAgents;
    if (inEarnest && worse) contradicting.push(member);
    else if (own.successes > 0 && own.rate > repeat.rate) supporting.push(member);
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
