import { groupName } from '../../access/identity/review-scope.js';
import { entityTag } from '../../approvals/proposals/proposal.js';
import type { ProposalDetails } from '../../approvals/proposals/proposals.schema.js';
import { riskReasons } from '../../approvals/proposals/risk.js';
import { REJECTION_REASONS } from '../../approvals/texts/rejection-reason.schema.js';
import { isBound, placeOf } from '../../evidence/predicate/binding.js';
import { pairInWords, pairSource, robustnessInWords, VERDICT_TEXTS } from '../../evidence/predicate/check-words.js';
import { sha256 } from '../../platform/base/canonical-json.js';
import { HOUR_MS } from '../../platform/base/durations.js';
import { ROLLOUT_PERCENTS } from '../../skills/delivery/audience.js';
import { KIND_OF_DANGER } from '../../untrusted/text/suspicions.js';
import { costText, filesShown, SUSPICION_TEXTS } from '../frame/artifact-lines.js';
import { differenceRows } from '../frame/difference.js';
import { countHighlights } from '../frame/highlights.js';
import { counted, grouped, moment } from '../frame/in-words.js';
import { kindText, loweredTexts, REASON_TEXTS } from '../frame/proposal-texts.js';
import { backtestText, evidenceView } from './evidence-view.js';
import { pairsView } from './pairs-view.js';

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
  /** Only agents of this owner would receive it; null if every agent would. */
  readonly onlyOwner: string | null;
  /** The names of the agents of the pairs, by execution. */
  readonly agents: ReadonlyMap<string, string>;
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
    verdictSays: proposal.verdict && VERDICT_TEXTS[proposal.verdict],
    revision: proposal.revision,
    skillName: proposal.skillName,
    onlyOwner: viewer.onlyOwner,
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
    rivals: proposal.contradicts,
    evidence: evidenceView(proposal, now),
    pairs: pairsView(proposal, viewer.agents),
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
    keeps: proposal.keeps?.skillName ?? null,
    isVote: proposal.votes.given + 1 < votesNeededWith(proposal, viewer.name),
    isRetirement: proposal.kind === 'retire',
    decided: isPending ? null : decidedView(proposal, now),
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

function effectView(proposal: ProposalDetails, { now, name, hasVoted, reach, percent }: Viewer) {
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
    reach: reachText(percent, reach),
    // A vote that is not the last one decides nothing.
    stages:
      proposal.kind === 'retire' || proposal.votes.given + 1 < votesNeededWith(proposal, name)
        ? null
        : ROLLOUT_PERCENTS.map((stage) => ({ stage, says: reachText(stage, reach), isUsual: stage === percent })),
    // A check takes the place of the backtest.
    backtest:
      proposal.kind === 'retire' || (proposal.evidence.check && proposal.evidence.backtest?.verdict !== 'tested')
        ? null
        : backtestText(proposal.evidence),
    writer: proposal.evidence.writer ?? null,
    wording: proposal.evidence.wording?.words || proposal.evidence.wording?.reason ? proposal.evidence.wording : null,
    cost: costText(proposal.artifact),
    why: riskReasonsOf(proposal, reach),
    votes: proposal.votes,
    expires: moment(proposal.expiresAt, now),
    notes,
  };
}

const reachText = (percent: number, reach: number): string =>
  percent === 100
    ? `all ${counted(reach, 'agent')} at once`
    : `${grouped(Math.ceil((reach * percent) / 100))} of ${counted(reach, 'agent')} at first (${percent} %)`;

/** A proposal that contradicts a pending one changes no live skill. */
function riskReasonsOf(proposal: ProposalDetails, reach: number): string[] {
  const { kind, proposedSkill, evidence, findings } = proposal;
  const reasons = riskReasons(kind, proposedSkill, evidence, findings, reach);
  return reasons.map((reason) => (reason === 'live' && contradictsPending(proposal) ? 'contested' : reason));
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
    program,
    form,
    call,
    times,
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
    authors: authorsView(authors.filter(({ kept }) => kept)),
    left: left.map(({ part, reason }) => ({ part: partText(part), reason })),
  };
}

const revisionsView = ({ revisions }: ProposalDetails, now: Date) =>
  revisions.map(({ revision, by, at, difference }) => ({
    revision,
    by,
    when: moment(at, now),
    rows: differenceRows(difference),
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
    edit: proposal.edit?.notes ?? [],
  };
}

function historyView({ history }: ProposalDetails, now: Date) {
  return history.map(({ at, actor, action }) => ({ when: moment(at, now), by: actor.name, action }));
}

function decidedView({ state, kind, decisions, decidedAt }: ProposalDetails, now: Date) {
  const last = decisions.at(-1);
  return {
    hasSkill: state === 'approved' && kind !== 'retire',
    by: last && decidedAt !== null ? `By ${last.by} ${moment(decidedAt, now).says}` : null,
    reason: last?.reason ?? null,
  };
}

/** Which of two skills stays, and why. Null for a proposal that is no merge. */
function mergeView({ keeps, request, skillName, title, state, evidence }: ProposalDetails) {
  if (!keeps || request?.reason !== 'merge') return null;
  return {
    says: request.says,
    stays: { name: keeps.skillName, title: keeps.title, evidence: keeps.evidence },
    goes: { name: skillName, title, evidence },
    keptProposal: keeps.proposalId,
    isLost: state === 'pending' && !keeps.isLive,
  };
}

/** The file that goes beside the one that stays. */
function mergeDifference({ keeps, skillName, difference }: ProposalDetails) {
  if (!keeps || difference === null) return null;
  return {
    rows: differenceRows(difference),
    isSplit: true,
    title: 'Difference between the two files',
    before: `Goes: ${skillName}`,
    after: `Stays: ${keeps.skillName}`,
  };
}

type Dossier = NonNullable<ProposalDetails['evidence']['dossier']>;

/** What executions say of the proposal: the pair first, everything else folded. Null if it was not checked. */
function checkView(proposal: ProposalDetails) {
  const { binding, checkWords, predicateWords, verdict } = proposal;
  const { check, witnesses } = proposal.evidence;
  if (!check) return null;
  // The limits below name the only harness.
  const robustness = robustnessInWords(check, { namesHarness: binding?.harness === undefined });
  return {
    pair: pairInWords(check).replace(/^\p{Ll}/u, (letter) => letter.toUpperCase()),
    source: pairSource(check),
    verdict,
    robustness: robustness.join('; '),
    // The pair stands above it.
    more: checkWords.slice(1).filter((line) => !robustness.includes(line)),
    predicate: predicateWords,
    witnesses: witnesses ?? null,
  };
}

/** Where the proposal holds, and what limits of the live skill it drops. */
const bindingView = ({ binding, widens }: ProposalDetails) => ({
  place: isBound(binding ?? undefined) ? placeOf(binding ?? {}) : null,
  widens,
});

/** Whether a call is refused with the proposal; null if it is no gate and replaces none. */
function gateView({ kind, proposedSkill, dropsGate }: ProposalDetails) {
  if (kind === 'retire') return null;
  return proposedSkill.gate || dropsGate ? { isDropped: !proposedSkill.gate } : null;
}

/** The dossier as lists of names with their numbers; an empty list is left out. */
function dossierView({ evidence: { dossier } }: ProposalDetails) {
  if (!dossier) return null;
  return {
    ...dossier,
    lists: namedLists(dossier).filter(({ entries }) => entries !== ''),
  };
}

const namedLists = ({ harnesses, tools, actions }: Dossier) =>
  Object.entries({ Harnesses: harnesses, Tools: tools, Actions: actions }).map(([title, list]) => ({
    title,
    entries: list.map(({ name: entry, n }) => `${entry} (${n})`).join(', '),
  }));
