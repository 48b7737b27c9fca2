import { partName } from '../../access/identity/remit.js';
import type { Approval } from '../../approvals/proposals/approvals.schema.js';
import { entityTag } from '../../approvals/proposals/entity-tag.js';
import { riskReasons } from '../../approvals/proposals/risk.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { HOUR_MS } from '../../platform/base/durations.js';
import { costOf, filesShown, marksOf } from '../frame/artifact-lines.js';
import { differenceRows } from '../texts/difference.js';
import { say } from '../texts/texts.js';
import { moment } from '../texts/times.js';
import { backtestSays, evidenceView, wordingSays } from './evidence-view.js';

/** What a rejection can be put down to, beside or instead of words of one's own. */
export const REASONS = ['wrong', 'narrow', 'known', 'unsafe', 'unclear', 'outdated'] as const;
export type Reason = (typeof REASONS)[number];

export interface Onlooker {
  readonly now: Date;
  readonly name: string;
  readonly isReviewer: boolean;
  readonly canDecide: boolean;
  readonly hasVoted: boolean;
  /** Agents that there are, and the share of them that a new skill goes to at first. */
  readonly reach: number;
  readonly percent: number;
}

/** One item as one screen. The hash is that of the text on the screen, made here from that text. */
export function packetView(item: Approval, onlooker: Onlooker) {
  const { now, canDecide, hasVoted } = onlooker;
  const waits = item.state === 'pending';
  const isOpen = contradictsWhatWaits(item);
  const isSettled = item.kind !== 'conflict' || isOpen;
  return {
    ...{ id: item.id, title: item.title, kind: item.kind, risk: item.risk, state: item.state },
    ...{ revision: item.revision, skillName: item.skillName, sha256: sha256(item.artifact), tag: entityTag(item) },
    audience: item.audience.length === 0 ? say('audience.all') : item.audience.slice(0, 5).map(partName).join(', '),
    files: filesShown(item.artifact),
    marks: marksOf(item.artifact),
    difference: differenceView(item),
    rivals: rivalsView(item),
    evidence: evidenceView(item, now),
    effect: effectView(item, onlooker),
    findings: findingsView(item),
    before: beforeView(item, now),
    history: historyView(item, now),
    reasons: REASONS.map((code, index) => ({ code, says: say(`reason.${code}`), digit: index + 1 })),
    can: {
      read: waits && !onlooker.isReviewer,
      stranger: waits && onlooker.isReviewer && !canDecide,
      decide: waits && canDecide,
      approve: waits && canDecide && isSettled && !hasVoted,
      contested: waits && canDecide && isOpen,
      resolve: waits && canDecide && !isSettled,
      edit: waits && canDecide && item.kind !== 'retire' && isSettled,
      reopen: canDecide && !waits && item.state !== 'approved' && item.edit === null,
      override: waits && onlooker.isReviewer && isSettled && canOverride(item, onlooker),
      revoke: canDecide && item.state === 'approved' && item.kind !== 'retire',
    },
    approveSays: say(
      item.kind === 'retire'
        ? 'decide.approve-retire'
        : item.votes.given + 1 < needed(item, onlooker.name)
          ? 'decide.vote'
          : 'decide.approve',
    ),
    isRetirement: item.kind === 'retire',
    editSays: say(isOpen ? 'decide.merge' : 'decide.edit'),
    decided: waits ? null : decidedView(item, now),
  };
}

const HALF_MS = HOUR_MS;

/** The halves of an override of these bytes that still hold. */
const halvesOf = ({ decisions, revision, artifactSha256 }: Approval, now: Date) =>
  decisions.filter(
    (one) =>
      one.verdict === 'override' &&
      one.revision === revision &&
      one.artifactSha256 === artifactSha256 &&
      now.getTime() - Date.parse(one.decidedAt) < HALF_MS,
  );

/** What the service allows: a first half where a vote is barred or more than two are asked for, a second one always. */
function canOverride(item: Approval, { now, name, canDecide }: Onlooker): boolean {
  const halves = halvesOf(item, now);
  if (halves.some(({ by }) => by === name)) return false;
  return halves.length > 0 || !canDecide || item.votes.needed > 2;
}

/** With the vote of whoever looks. */
const needed = ({ votes, editedBy, earlierEditors, ownedBy }: Approval, name: string): number =>
  Math.max(votes.needed, [editedBy, ownedBy, ...earlierEditors].includes(name) ? 2 : 1);

/** There is no live skill yet that would stand in the way: of two that wait, either may be approved. */
const contradictsWhatWaits = ({ kind, supersedes }: Approval): boolean => kind === 'conflict' && supersedes === null;

function differenceView(item: Approval) {
  if (item.difference === null || item.kind === 'retire') return null;
  const rows = differenceRows(item.difference);
  const name = item.supersedes?.name ?? item.skillName;
  const [rival] = item.contradicts;
  if (item.supersedes === null && rival) {
    const before = say(`state.${rival.state}`);
    const title = say('packet.rival', { title: rival.title });
    return { rows, isSplit: true, before, after: say('packet.after'), title };
  }
  const isConflict = item.kind === 'conflict';
  return {
    ...{ rows, isSplit: isConflict, before: say('packet.before'), after: say('packet.after') },
    title: say(isConflict ? 'packet.conflict' : 'packet.difference', { name }),
  };
}

/** The other sides of a contradiction, each with its own page. */
const rivalsView = ({ contradicts }: Approval) =>
  contradicts.map(({ id, state, title, condition, action }) => ({
    ...{ id, title, state, says: say('packet.rival-says', { condition, action }) },
  }));

function effectView(item: Approval, { now, name, hasVoted, reach, percent }: Onlooker) {
  const { listed, whole } = costOf(item.artifact);
  const part = Math.ceil((reach * percent) / 100);
  const notes = [
    ...(hasVoted ? [say('effect.voted')] : []),
    ...halvesOf(item, now).map(({ by, reason }) => say('effect.half', { by, reason: reason ?? '' })),
    ...(item.editedBy === name ? [say('effect.wrote')] : []),
    ...(item.earlierEditors.includes(name) ? [say('effect.wrote-earlier')] : []),
    ...(item.editedBy !== null && item.editedBy !== name ? [say('effect.wrote-other', { name: item.editedBy })] : []),
    ...(item.ownedBy === null
      ? []
      : [say(item.ownedBy === name ? 'effect.owns' : 'effect.owns-other', { name: item.ownedBy })]),
  ];
  return {
    reach:
      percent === 100
        ? say('effect.reach-says', { n: reach })
        : say('effect.reach-part', { n: part, all: reach, percent }),
    backtest: backtestSays(item.evidence),
    wording: wordingSays(item.evidence),
    cost: say('effect.cost-says', { n: listed, whole }),
    why: riskSays(item, reach),
    votes: say('effect.votes-says', { given: item.votes.given, needed: item.votes.needed }),
    expires: moment(item.expiresAt, now),
    notes,
  };
}

function riskSays(item: Approval, reach: number): string[] {
  const { kind, proposal, evidence, findings } = item;
  const reasons = riskReasons(kind, proposal, evidence, findings, reach);
  const told = (reason: string): string => (reason === 'live' && contradictsWhatWaits(item) ? 'contested' : reason);
  return reasons.length > 0 ? reasons.map((reason) => say(`risk.why.${told(reason)}`)) : [say('risk.why.none')];
}

export function findingsView({ findings }: Pick<Approval, 'findings'>) {
  return [
    ...findings.suspicions.map(({ kind, count }) => ({
      isBad: true,
      says: say('findings.suspicion', { n: count, kind: say(`suspicion.${kind}`) }),
    })),
    ...findings.redactions.map(({ rule, count }) => ({
      isBad: false,
      says: say('findings.redaction', { n: count, rule }),
    })),
  ];
}

/** What was said before: rejections of the same pattern, why a job asks, what stood in a file that somebody changed. */
function beforeView(item: Approval, now: Date) {
  return {
    rejections: item.earlierRejections.map(({ reason, decidedAt }) =>
      say('before.rejected', { reason, when: moment(decidedAt, now).says }),
    ),
    reopenedFrom: item.reopenedFrom,
    request: item.request?.says ?? null,
    edit: (item.edit?.notes ?? []).map(({ line, message }) => say('edit-by-hand.line', { line, message })),
  };
}

function historyView({ history }: Approval, now: Date) {
  return history.map(({ at, actor, action }) => ({ when: moment(at, now), by: actor.name, action }));
}

function decidedView({ state, kind, decisions, decidedAt }: Approval, now: Date) {
  const last = decisions.at(-1);
  return {
    says: say('decide.decided', { state: say(`state.${state}`) }),
    hasSkill: state === 'approved' && kind !== 'retire',
    by:
      last && decidedAt !== null ? say('decide.decided-by', { by: last.by, when: moment(decidedAt, now).says }) : null,
    reason: last?.reason ?? null,
  };
}
