import { groupName } from '../../access/identity/review-scope.js';
import { entityTag } from '../../approvals/proposals/proposal.js';
import type { ProposalDetails } from '../../approvals/proposals/proposals.schema.js';
import { riskReasons } from '../../approvals/proposals/risk.js';
import { REJECTION_REASONS } from '../../approvals/texts/rejection-reason.schema.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { HOUR_MS } from '../../platform/base/durations.js';
import { costOf, countHighlightsIn, filesShown } from '../frame/artifact-lines.js';
import { kindText } from '../frame/kind-text.js';
import { differenceRows } from '../texts/difference.js';
import { loweredTexts } from '../texts/lowered-reasons.js';
import { say } from '../texts/texts.js';
import { moment } from '../texts/times.js';
import { bindingView, checkView, dossierView, gateView } from './check-view.js';
import { backtestText, evidenceView, wordingText, writerText } from './evidence-view.js';
import { mergeDifference, mergeView } from './merge-view.js';

export interface Viewer {
  readonly now: Date;
  readonly name: string;
  readonly isReviewer: boolean;
  readonly canDecide: boolean;
  readonly hasVoted: boolean;
  /** The number of agents. */
  readonly reach: number;
  /** The share of agents that receives a new skill first, in percent. */
  readonly percent: number;
}

/** The view of a review. The hash is computed from the very text that the page shows. */
export function reviewView(proposal: ProposalDetails, viewer: Viewer) {
  const { now, canDecide, hasVoted } = viewer;
  const isPending = proposal.state === 'pending';
  const isOpen = contradictsPending(proposal);
  const isSettled = proposal.kind !== 'conflict' || isOpen;
  return {
    id: proposal.id,
    title: proposal.title,
    kind: proposal.kind,
    risk: proposal.risk,
    state: proposal.state,
    verdict: proposal.verdict,
    revision: proposal.revision,
    skillName: proposal.skillName,
    sha256: sha256(proposal.artifact),
    tag: entityTag(proposal),
    audience:
      proposal.audience.length === 0 ? say('audience.all') : proposal.audience.slice(0, 5).map(groupName).join(', '),
    files: filesShown(proposal.artifact),
    highlights: countHighlightsIn(proposal.artifact),
    kindSays: kindText(proposal),
    merge: mergeView(proposal),
    difference: differenceView(proposal),
    authors: authorsView(proposal.authors),
    kept: keptView(proposal),
    revisions: revisionsView(proposal, now),
    rivals: rivalsView(proposal),
    evidence: evidenceView(proposal, now),
    check: checkView(proposal),
    binding: bindingView(proposal),
    gate: gateView(proposal),
    dossier: dossierView(proposal),
    effect: effectView(proposal, viewer),
    findings: findingsView(proposal),
    dangers: dangersView(proposal),
    skipsCheck: proposal.evidence.dangers?.some(({ class: danger }) => danger === 'check') ?? false,
    before: earlierView(proposal, now),
    history: historyView(proposal, now),
    reasons: REJECTION_REASONS.map((code, index) => ({ code, says: say(`reason.${code}`), digit: index + 1 })),
    can: {
      read: isPending && !viewer.isReviewer,
      outsideScope: isPending && viewer.isReviewer && !canDecide,
      decide: isPending && canDecide,
      approve: isPending && canDecide && isSettled && !hasVoted,
      contested: isPending && canDecide && isOpen,
      resolve: isPending && canDecide && !isSettled,
      edit: isPending && canDecide && proposal.kind !== 'retire' && isSettled,
      reopen: canDecide && !isPending && proposal.state !== 'approved' && proposal.edit === null,
      override: isPending && viewer.isReviewer && isSettled && canOverride(proposal, viewer),
      retire: canDecide && proposal.state === 'approved' && proposal.kind !== 'retire',
    },
    ...decisionTexts(proposal, viewer),
    isRetirement: proposal.kind === 'retire',
    editSays: say(isOpen ? 'decide.merge' : 'decide.edit'),
    decided: isPending ? null : decidedView(proposal, now),
  };
}

/** What the buttons say. */
function decisionTexts(proposal: ProposalDetails, viewer: Viewer) {
  if (proposal.keeps)
    return {
      approveSays: say('decide.approve-merge', { name: proposal.keeps.skillName }),
      rejectSays: say('decide.reject-merge'),
      reasonSays: say('decide.reason-merge'),
    };
  const isRetirement = proposal.kind === 'retire';
  const isVote = proposal.votes.given + 1 < votesNeededWith(proposal, viewer.name);
  return {
    approveSays: say(isRetirement ? 'decide.approve-retire' : isVote ? 'decide.vote' : 'decide.approve'),
    rejectSays: say(isRetirement ? 'decide.reject-retire' : 'decide.reject'),
    reasonSays: say('decide.reason'),
  };
}

const HALF_MS = HOUR_MS;

/** The approvals of an override of these bytes that have not expired. */
const validOverrideHalves = ({ decisions, revision, artifactSha256 }: ProposalDetails, now: Date) =>
  decisions.filter(
    (one) =>
      one.verdict === 'override' &&
      one.revision === revision &&
      one.artifactSha256 === artifactSha256 &&
      now.getTime() - Date.parse(one.decidedAt) < HALF_MS,
  );

/**
 * Whether the override service would accept an approval: the first one if the person cannot vote or more than two votes
 * are needed, the second one always.
 */
function canOverride(proposal: ProposalDetails, { now, name, canDecide }: Viewer): boolean {
  const halves = validOverrideHalves(proposal, now);
  if (halves.some(({ by }) => by === name)) return false;
  return halves.length > 0 || !canDecide || proposal.votes.needed > 2;
}

/** The votes needed if this viewer votes. */
const votesNeededWith = ({ votes, editedBy, earlierEditors, ownedBy }: ProposalDetails, name: string): number =>
  Math.max(votes.needed, [editedBy, ownedBy, ...earlierEditors].includes(name) ? 2 : 1);

/** It contradicts only pending proposals, so that either of them may be approved. */
const contradictsPending = ({ kind, supersedes }: ProposalDetails): boolean =>
  kind === 'conflict' && supersedes === null;

function differenceView(proposal: ProposalDetails) {
  if (proposal.keeps) return mergeDifference(proposal);
  if (proposal.difference === null || proposal.kind === 'retire') return null;
  const rows = differenceRows(proposal.difference);
  const name = proposal.supersedes?.name ?? proposal.skillName;
  const [rival] = proposal.contradicts;
  if (proposal.supersedes === null && rival) {
    const before = say(`state.${rival.state}`);
    const title = say('review.rival', { title: rival.title });
    return { rows, isSplit: true, before, after: say('review.after'), title };
  }
  const isConflict = proposal.kind === 'conflict';
  return {
    rows,
    isSplit: isConflict,
    before: say('review.before'),
    after: say('review.after'),
    title: say(isConflict ? 'review.conflict' : 'review.difference', { name }),
  };
}

/** The other proposals of a contradiction, each with a link to its review. */
const rivalsView = ({ contradicts }: ProposalDetails) =>
  contradicts.map(({ id, state, title, condition, action }) => ({
    id,
    title,
    state,
    says: say('review.rival-says', { condition, action }),
  }));

function effectView(proposal: ProposalDetails, { now, name, hasVoted, reach, percent }: Viewer) {
  const { listed, whole } = costOf(proposal.artifact);
  const part = Math.ceil((reach * percent) / 100);
  const notes = [
    ...(hasVoted ? [say('effect.voted')] : []),
    ...validOverrideHalves(proposal, now).map(({ by, reason }) => say('effect.half', { by, reason: reason ?? '' })),
    ...(proposal.editedBy === name ? [say('effect.wrote')] : []),
    ...(proposal.earlierEditors.includes(name) ? [say('effect.wrote-earlier')] : []),
    ...(proposal.editedBy !== null && proposal.editedBy !== name
      ? [say('effect.wrote-other', { name: proposal.editedBy })]
      : []),
    ...(proposal.ownedBy === null
      ? []
      : [say(proposal.ownedBy === name ? 'effect.owns' : 'effect.owns-other', { name: proposal.ownedBy })]),
  ];
  return {
    reach:
      percent === 100
        ? say('effect.reach-says', { n: reach })
        : say('effect.reach-part', { n: part, all: reach, percent }),
    // A check takes the place of the backtest.
    backtest: proposal.evidence.check && !proposal.evidence.backtest ? null : backtestText(proposal.evidence),
    writer: writerText(proposal.evidence),
    wording: wordingText(proposal.evidence),
    cost: say('effect.cost-says', { n: listed, whole }),
    why: riskReasonTexts(proposal, reach),
    votes: say('effect.votes-says', { given: proposal.votes.given, needed: proposal.votes.needed }),
    expires: moment(proposal.expiresAt, now),
    notes,
  };
}

function riskReasonTexts(proposal: ProposalDetails, reach: number): string[] {
  const { kind, proposedSkill, evidence, findings } = proposal;
  const reasons = riskReasons(kind, proposedSkill, evidence, findings, reach);
  const keyOf = (reason: string): string => (reason === 'live' && contradictsPending(proposal) ? 'contested' : reason);
  return reasons.length > 0 ? reasons.map((reason) => say(`risk.why.${keyOf(reason)}`)) : [say('risk.why.none')];
}

export function findingsView({ findings }: Pick<ProposalDetails, 'findings'>) {
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

/** The dangerous calls of the remedy: the raw texts, because the words of the proposal name only their shape. */
export function dangersView({ evidence }: Pick<ProposalDetails, 'evidence'>) {
  return (evidence.dangers ?? []).map(({ class: danger, program, form, call, times }) => ({
    kind: say(`suspicion.${SUSPICION_OF[danger]}`),
    says: say('findings.danger', { program, form, n: times }),
    call,
  }));
}

const SUSPICION_OF = { check: 'skipped-check', protection: 'protection-off', source: 'foreign-source' } as const;

/** The texts that people wrote, by person. */
function authorsView(authors: ProposalDetails['authors']) {
  const byPerson = new Map<string, string[]>();
  for (const { part, number, by } of authors) {
    const name = say(`authors.part.${part}`);
    const text = number > 0 ? say('authors.item', { part: name, n: number }) : name;
    const person = by ?? say('authors.outside');
    byPerson.set(person, [...(byPerson.get(person) ?? []), text]);
  }
  return [...byPerson].map(([person, texts]) => ({ person, texts: texts.join(', ') }));
}

/** What a new version of a lesson kept of the texts that people wrote; null if there was no edit. */
function keptView({ authors, evidence }: ProposalDetails) {
  if (!evidence.kept) return null;
  const { from, left } = evidence.kept;
  return {
    from,
    texts: authorsView(authors.filter(({ kept }) => kept)).map(({ person, texts }) =>
      say('kept.says', { person, texts }),
    ),
    left: left.map(({ part, reason }) => say('kept.left', { part: say(`authors.part.${part}`), reason })),
  };
}

const revisionsView = ({ revisions }: ProposalDetails, now: Date) =>
  revisions.map(({ revision, by, at, difference }) => ({
    title: say('revisions.says', { n: revision, by }),
    when: moment(at, now),
    rows: differenceRows(difference),
    before: say('review.before-edit'),
    after: say('review.after-edit'),
  }));

/**
 * What happened before: rejections of the same pattern, the reason of a retirement request, the notes of an external
 * edit.
 */
function earlierView(proposal: ProposalDetails, now: Date) {
  return {
    rejections: proposal.earlierRejections.map(({ reason, decidedAt }) =>
      say('before.rejected', { reason, when: moment(decidedAt, now).says }),
    ),
    lowered: loweredTexts(proposal.evidence.lowered),
    reopenedFrom: proposal.reopenedFrom,
    request: proposal.keeps ? null : (proposal.request?.says ?? null),
    edit: (proposal.edit?.notes ?? []).map(({ line, message }) => say('external-edit.line', { line, message })),
  };
}

function historyView({ history }: ProposalDetails, now: Date) {
  return history.map(({ at, actor, action }) => ({ when: moment(at, now), by: actor.name, action }));
}

function decidedView({ state, kind, decisions, decidedAt }: ProposalDetails, now: Date) {
  const last = decisions.at(-1);
  return {
    says: say('decide.decided', { state: say(`state.${state}`) }),
    hasSkill: state === 'approved' && kind !== 'retire',
    by:
      last && decidedAt !== null ? say('decide.decided-by', { by: last.by, when: moment(decidedAt, now).says }) : null,
    reason: last?.reason ?? null,
  };
}
