import { groupName } from '../../access/identity/review-scope.js';
import { entityTag } from '../../approvals/proposals/entity-tag.js';
import type { ProposalDetails } from '../../approvals/proposals/proposals.schema.js';
import { type RiskReason, riskReasons } from '../../approvals/proposals/risk.js';
import { REJECTION_REASONS } from '../../approvals/texts/rejection-reason.schema.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { HOUR_MS } from '../../platform/base/durations.js';
import { KIND_OF_DANGER } from '../../untrusted/text/suspicions.js';
import { costText, filesShown, SUSPICION_TEXTS } from '../frame/artifact-lines.js';
import { differenceRows } from '../frame/difference.js';
import { countHighlights } from '../frame/highlights.js';
import { kindText, loweredTexts, REASON_TEXTS } from '../frame/proposal-texts.js';
import { counted, grouped } from '../frame/quantity.js';
import { moment } from '../frame/times.js';
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
      proposal.audience.length === 0
        ? 'the whole organisation'
        : proposal.audience.slice(0, 5).map(groupName).join(', '),
    files: filesShown(proposal.artifact),
    highlights: countHighlights(proposal.artifact),
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
    reasons: REJECTION_REASONS.map((code, index) => ({ code, says: REASON_TEXTS[code], digit: index + 1 })),
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
    editSays: isOpen ? 'Merge both …' : 'Edit …',
    decided: isPending ? null : decidedView(proposal, now),
  };
}

/** What the buttons say. */
function decisionTexts(proposal: ProposalDetails, viewer: Viewer) {
  if (proposal.keeps)
    return {
      approveSays: `Keep only ${proposal.keeps.skillName}`,
      rejectSays: 'Keep both …',
      reasonSays: 'Why? Guildbook proposes these two again only after one of them changes.',
    };
  const isRetirement = proposal.kind === 'retire';
  const isVote = proposal.votes.given + 1 < votesNeededWith(proposal, viewer.name);
  return {
    approveSays: isRetirement ? 'Retire the skill' : isVote ? 'Vote to approve' : 'Approve',
    rejectSays: isRetirement ? 'Keep the skill …' : 'Reject …',
    reasonSays: 'Why? Guildbook remembers the reason and proposes the pattern again only with much more evidence.',
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
    const title = `Contradicts "${rival.title}": the other proposal on the left, this one on the right`;
    return { rows, isSplit: true, before: rival.state, after: 'proposed', title };
  }
  const isConflict = proposal.kind === 'conflict';
  return {
    rows,
    isSplit: isConflict,
    before: 'live',
    after: 'proposed',
    title: isConflict ? `Contradicts ${name}: live version on the left, proposal on the right` : `Changes to ${name}`,
  };
}

/** The other proposals of a contradiction, each with a link to its review. */
const rivalsView = ({ contradicts }: ProposalDetails) =>
  contradicts.map(({ id, state, title, condition, action }) => ({
    id,
    title,
    state,
    says: `${condition} → ${action}`,
  }));

function effectView(proposal: ProposalDetails, { now, name, hasVoted, reach, percent }: Viewer) {
  const part = Math.ceil((reach * percent) / 100);
  const notes = [
    ...(hasVoted ? ['You approved this revision. Another reviewer has to approve it too.'] : []),
    ...validOverrideHalves(proposal, now).map(({ by, reason }) => `${by} requests an override: ${reason ?? ''}`),
    ...(proposal.editedBy === name ? ['You wrote this revision, so another reviewer has to approve it too.'] : []),
    ...(proposal.earlierEditors.includes(name)
      ? ['You wrote an earlier revision, so another reviewer has to approve this one too.']
      : []),
    ...(proposal.editedBy !== null && proposal.editedBy !== name ? [`Edited by ${proposal.editedBy}.`] : []),
    ...(proposal.ownedBy === null
      ? []
      : [
          proposal.ownedBy === name
            ? 'You own all agents that this was learned from, so another reviewer has to approve it too.'
            : `${proposal.ownedBy} owns all agents that this was learned from.`,
        ]),
  ];
  return {
    reach:
      percent === 100
        ? counted(reach, 'agent')
        : `${grouped(part)} of ${counted(reach, 'agent')} at first (${percent} %); all agents that use git`,
    // A check takes the place of the backtest.
    backtest: proposal.evidence.check && !proposal.evidence.backtest ? null : backtestText(proposal.evidence),
    writer: writerText(proposal.evidence),
    wording: wordingText(proposal.evidence),
    cost: costText(proposal.artifact),
    why: riskReasonTexts(proposal, reach),
    votes: `${grouped(proposal.votes.given)} of ${grouped(proposal.votes.needed)}`,
    expires: moment(proposal.expiresAt, now),
    notes,
  };
}

const RISK_TEXTS: Readonly<Record<RiskReason, string>> = {
  'state-changing': 'tells agents to change something outside their checkout',
  'few-tries': 'the remedy was tried fewer than five times',
  live: 'changes a live skill',
  reach: 'reaches 100 agents or more',
  suspicion: 'possible prompt injection (counts double)',
  danger: 'skips a check, turns a protection off, or changes a source (counts double)',
  'skips-check': 'was only overcome by skipping a check (always critical)',
};

function riskReasonTexts(proposal: ProposalDetails, reach: number): string[] {
  const { kind, proposedSkill, evidence, findings } = proposal;
  const reasons = riskReasons(kind, proposedSkill, evidence, findings, reach);
  const textOf = (reason: RiskReason): string =>
    reason === 'live' && contradictsPending(proposal) ? 'contradicts another proposal' : RISK_TEXTS[reason];
  return reasons.length > 0 ? reasons.map(textOf) : ['no risk factor found'];
}

export function findingsView({ findings }: Pick<ProposalDetails, 'findings'>) {
  return [
    ...findings.suspicions.map(({ kind, count }) => ({
      isBad: true,
      says: `${SUSPICION_TEXTS[kind] ?? kind}: ${grouped(count)}`,
    })),
    ...findings.redactions.map(({ rule, count }) => ({
      isBad: false,
      says: `${rule}: ${grouped(count)} removed`,
    })),
  ];
}

/** The dangerous calls of the remedy: the raw texts, because the words of the proposal name only their shape. */
export function dangersView({ evidence }: Pick<ProposalDetails, 'evidence'>) {
  return (evidence.dangers ?? []).map(({ class: danger, program, form, call, times }) => ({
    kind: SUSPICION_TEXTS[KIND_OF_DANGER[danger]] ?? danger,
    says: `${program} ${form}: ${counted(times, 'try', 'tries')}, as reported`,
    call,
  }));
}

const PART_TEXTS: Readonly<Record<string, string>> = {
  discovery: 'description',
  action: 'what to do',
  rationale: 'reason',
  steps: 'step',
  gotchas: 'gotcha',
};
const partText = (part: string): string => PART_TEXTS[part] ?? part;

/** The texts that people wrote, by person. */
function authorsView(authors: ProposalDetails['authors']) {
  const byPerson = new Map<string, string[]>();
  for (const { part, number, by } of authors) {
    const name = partText(part);
    const text = number > 0 ? `${name} ${grouped(number)}` : name;
    const person = by ?? 'changed outside Guildbook';
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
    texts: authorsView(authors.filter(({ kept }) => kept)).map(
      ({ person, texts }) => `Kept from the edit of ${person}: ${texts}`,
    ),
    left: left.map(({ part, reason }) => `Not kept: ${partText(part)}, because ${reason}`),
  };
}

const revisionsView = ({ revisions }: ProposalDetails, now: Date) =>
  revisions.map(({ revision, by, at, difference }) => ({
    title: `Revision ${grouped(revision)}, by ${by}`,
    when: moment(at, now),
    rows: differenceRows(difference),
    before: 'Before the edit',
    after: 'After the edit',
  }));

/**
 * What happened before: rejections of the same pattern, the reason of a retirement request, the notes of an external
 * edit.
 */
function earlierView(proposal: ProposalDetails, now: Date) {
  return {
    rejections: proposal.earlierRejections.map(
      ({ reason, decidedAt }) => `Rejected ${moment(decidedAt, now).says}: ${reason}`,
    ),
    lowered: loweredTexts(proposal.evidence.lowered),
    reopenedFrom: proposal.reopenedFrom,
    request: proposal.keeps ? null : (proposal.request?.says ?? null),
    edit: (proposal.edit?.notes ?? []).map(({ line, message }) => `Line ${grouped(line)}: ${message}`),
  };
}

function historyView({ history }: ProposalDetails, now: Date) {
  return history.map(({ at, actor, action }) => ({ when: moment(at, now), by: actor.name, action }));
}

function decidedView({ state, kind, decisions, decidedAt }: ProposalDetails, now: Date) {
  const last = decisions.at(-1);
  return {
    says: `This proposal is ${state}.`,
    hasSkill: state === 'approved' && kind !== 'retire',
    by: last && decidedAt !== null ? `By ${last.by} ${moment(decidedAt, now).says}` : null,
    reason: last?.reason ?? null,
  };
}
