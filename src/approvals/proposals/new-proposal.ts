import { Dossier } from '../../evidence/gates/dossier.schema.js';
import { isBound } from '../../evidence/predicate/binding.js';
import { callGateOf } from '../../evidence/predicate/call-gate.js';
import type { Predicate } from '../../evidence/predicate/predicate.schema.js';
import type { JournalRecord } from '../../journal/journal.service.js';
import { DomainError } from '../../platform/base/domain.errors.js';
import { lossOf } from '../../skills/document/text-blocks.js';
import { generalOf, redactDeep } from '../../untrusted/redaction/redact-deep.js';
import { generalise, generaliseDeep } from '../../untrusted/text/generalise.js';
import { suspicions, withDangers } from '../../untrusted/text/suspicions.js';
import { type Authored, authorOf, authorsAfter, type SkillTexts, textsOf } from '../texts/authorship.js';
import {
  claimsSame,
  fitDossier,
  generaliseDossier,
  generalisePairs,
  generaliseTexts,
  publicPredicate,
} from '../texts/generalised-texts.js';
import type { KeptEdit } from '../texts/kept-edit.schema.js';
import { withObservedCommands } from '../texts/observed-commands.js';
import { renderArtifact } from './artifact.js';
import type { Proposal, ProposalContent, SanitizedEdit } from './proposal.js';
import { EvidenceCounts, type Findings, type ProposalKind } from './proposals.schema.js';
import { Evidence, ProposedSkill } from './proposed-skill.schema.js';
import { type QuorumSettings, quorumFor } from './quorum.js';
import { riskOf } from './risk.js';

/** A proposal before its submission. Its texts are not sanitized yet and must not be stored. */
export interface NewProposal {
  readonly kind: ProposalKind;
  /** The preferred name of a new skill; it gets a suffix if the name is taken. */
  readonly skillName: string;
  /** Stable across cycles, so that a pattern has one pending proposal. */
  readonly fingerprint: string;
  readonly fingerprints: readonly string[];
  readonly applicability: string;
  readonly actionFingerprint: string;
  readonly proposedSkill: ProposedSkill;
  readonly evidence: Evidence;
  readonly confidence: number;
  readonly impact: number;
  /** The org entry that it replaces or contradicts. */
  readonly supersedesId: string | null;
  /** The ids of proposals that it contradicts. */
  readonly contradicts?: readonly string[];
  readonly cycleId: string | null;
  readonly edit?: SanitizedEdit;
  /** The person who wrote this revision. */
  readonly editorId?: string | null;
  /** The persons who wrote earlier revisions. */
  readonly earlierEditorIds?: readonly string[];
}

/** The generalised and redacted texts of a proposal, with the findings. */
export type SanitizedProposal = Pick<ProposalContent, 'proposedSkill' | 'evidence' | 'findings'>;

/**
 * Generalises and redacts the texts of a proposal, and searches them for prompt injection. Text that leaves an agent's
 * own scope must not contain its paths, hosts or persons; the calls of dangerous remedies keep their addresses, because
 * the reviewer has to judge them. The result has no gate: only a reviewer sets one.
 */
export function sanitizeProposal(submission: Pick<NewProposal, 'proposedSkill' | 'evidence'>): SanitizedProposal {
  const proposedSkill = withClaim(ProposedSkill.parse(submission.proposedSkill));
  // Only the queue says which texts a person wrote.
  const { authored: _none, dossier, ...evidence } = Evidence.parse(submission.evidence);
  const general = generaliseTexts(proposedSkill, evidence.calls);
  const clean = redactDeep({
    proposedSkill: general.proposedSkill,
    evidence: {
      ...evidence,
      failing: generaliseDeep(evidence.failing),
      alternatives: evidence.alternatives.map((alternative) => ({
        ...alternative,
        action: generalise(alternative.action),
      })),
      ...(evidence.models ? { models: evidence.models.map(generalise) } : {}),
      ...(general.calls ? { calls: general.calls } : {}),
      ...(evidence.pairs ? { pairs: generalisePairs(evidence.pairs) } : {}),
      ...(dossier ? { dossier: generaliseDossier(dossier) } : {}),
    },
  });
  // Sanitizing changes the length of texts. Parsing again trims them, so that the stored texts are exactly those that
  // the
  // file, org memory and the database's gate are derived from.
  const readable = ProposedSkill.safeParse(clean.value.proposedSkill);
  if (!readable.success)
    throw new DomainError('invalid', 'proposal.not_publishable', 'Too much of the proposal was redacted.');
  return {
    proposedSkill: generalOf(readable.data),
    evidence: redactDeep(fitEvidence(clean.value.evidence, dossier)).value,
    findings: {
      redactions: [...clean.redactions],
      suspicions: suspicionsIn(proposedSkill, evidence),
    },
  };
}

/**
 * Throws `invalid` for a check that speaks against the lesson, or says nothing: only what executions confirm, or what at
 * least worked in some of them, comes before a reviewer.
 */
export function requireSupported({ check }: Pick<Evidence, 'check'>): void {
  if (!check || check.verdict === 'confirmed' || check.verdict === 'observed') return;
  throw new DomainError('invalid', 'proposal.unsupported', `The check of the proposal says: ${check.verdict}.`);
}

/** Without a predicate that holds private text, a binding that limits nothing, and a gate. */
function withClaim({ predicate, binding, gate: _gate, ...texts }: ProposedSkill): ProposedSkill {
  const shown = publicPredicate(predicate);
  return { ...texts, ...(isBound(binding) ? { binding } : {}), ...(shown ? { predicate: shown } : {}) };
}

function fitEvidence({ dossier, ...evidence }: Evidence, before: Evidence['dossier']): Evidence {
  const fitted = Dossier.safeParse(dossier && before ? fitDossier(dossier, before) : undefined);
  return { ...evidence, ...(fitted.success ? { dossier: fitted.data } : {}) };
}

/** The evidence for another wording: a check is that of one predicate. */
export function evidenceFor<T extends Evidence>(evidence: T, checked: ProposedSkill, proposedSkill: ProposedSkill): T {
  if (claimsSame(checked, proposedSkill)) return evidence;
  const { check: _check, ...others } = evidence;
  // Only an optional field is left out.
  return others as T;
}

/**
 * `sanitizeProposal` for the wording of a person: `by` becomes the author of each text that `before` does not hold.
 * Throws `invalid` if the file would not keep a text as it was written, or if nothing says which calls a gate refuses.
 */
export function sanitizeWording(
  proposedSkill: ProposedSkill,
  before: Pick<ProposalContent, 'proposedSkill' | 'evidence'>,
  by: string | null,
): SanitizedProposal {
  requireKept(proposedSkill, before.proposedSkill);
  // An edit answers for the whole text.
  const { kept: _kept, ...earlier } = before.evidence;
  const sanitized = sanitizeProposal({
    proposedSkill,
    evidence: evidenceFor<Evidence>(earlier, before.proposedSkill, proposedSkill),
  });
  const authored = authorsAfter(before.proposedSkill, sanitized.proposedSkill, before.evidence.authored ?? [], by);
  const gated = withGate(sanitized.proposedSkill, proposedSkill);
  return { ...sanitized, proposedSkill: gated, evidence: redactDeep({ ...sanitized.evidence, authored }).value };
}

/**
 * The sanitized texts with the gate of `wanted`, which a reviewer set. Throws `invalid` if nothing says which calls it
 * refuses.
 */
export function withGate(
  sanitized: SanitizedProposal['proposedSkill'],
  { gate }: Pick<ProposedSkill, 'gate'>,
): SanitizedProposal['proposedSkill'] {
  if (!gate) return sanitized;
  requireGateCondition(sanitized.predicate);
  return generalOf({ ...sanitized, gate });
}

/** Adds the authors of the texts that it kept from `earlier`; without that proposal, it kept nothing. */
export function withKeptAuthors(
  sanitized: SanitizedProposal,
  earlier: Pick<Proposal, 'state' | 'evidence'> | undefined,
): SanitizedProposal {
  const { kept, ...others } = sanitized.evidence;
  if (!kept) return sanitized;
  if (!earlier) return { ...sanitized, evidence: redactDeep(others).value };
  const authored = keptAuthors(kept, sanitized.proposedSkill, earlier);
  return { ...sanitized, evidence: redactDeep({ ...sanitized.evidence, authored }).value };
}

/** The signs of prompt injection in the texts of a proposal, and the dangerous forms of its commands and remedies. */
export const suspicionsIn = (proposedSkill: ProposedSkill, evidence: Evidence): Findings['suspicions'] =>
  withDangers(suspicions(`${textOf(proposedSkill)}\n${evidence.failing.example}`), evidence.dangers ?? []);

const textOf = (proposedSkill: ProposedSkill): string =>
  textsOf(proposedSkill)
    .map(({ text }) => text)
    .join('\n');

/**
 * Builds the content of a proposal with the exact file that its approval publishes. Throws `invalid` if it cannot be
 * published.
 */
export function buildProposal(
  id: string,
  submission: Omit<NewProposal, 'skillName' | 'proposedSkill' | 'evidence' | 'fingerprint'>,
  sanitized: SanitizedProposal,
  {
    reach,
    quorum,
    ...facts
  }: Pick<ProposalContent, 'skillName' | 'version' | 'audience' | 'sourceOwnerId'> & {
    reach: number;
    quorum: QuorumSettings;
  },
): ProposalContent {
  const { kind, fingerprints, actionFingerprint, applicability, confidence, impact, supersedesId, cycleId } =
    submission;
  const { evidence, findings } = sanitized;
  const proposedSkill = withObservedCommands(sanitized.proposedSkill, evidence);
  const { skillName, version, audience, sourceOwnerId } = facts;
  const artifact = renderArtifact({ proposalId: id, skillName, version }, proposedSkill, evidence);
  if (artifact.problems.length > 0)
    throw new DomainError(
      'invalid',
      'proposal.not_publishable',
      `The proposal cannot become a SKILL.md: ${artifact.problems.join('; ')}`,
    );
  const risk = riskOf(kind, proposedSkill, evidence, findings, reach);
  return {
    kind,
    fingerprints,
    actionFingerprint,
    applicability,
    skillName,
    version,
    audience,
    proposedSkill,
    evidence,
    findings,
    confidence,
    impact,
    supersedesId,
    cycleId,
    edit: submission.edit ?? null,
    artifact: artifact.bytes,
    artifactSha256: artifact.sha256,
    risk,
    editorId: submission.editorId ?? null,
    earlierEditorIds: submission.earlierEditorIds ?? [],
    sourceOwnerId,
    votesNeeded: quorumFor(kind, risk, quorum, submission.edit !== undefined),
  };
}

/** Converts a proposal back to its input, to render it again with its external edit, or without. */
export const toNewProposal = ({ edit, ...proposal }: Proposal) => ({ ...proposal, ...(edit ? { edit } : {}) });
export const withoutEdit = ({ edit: _none, ...proposal }: Proposal) => proposal;

/** The kind and target of a pending proposal after its target was approved, replaced or retired. */
export function rebasedTarget(
  { kind, fingerprint }: Pick<Proposal, 'kind' | 'fingerprint'>,
  supersedesId: string | null,
) {
  if (kind === 'conflict') return { kind, fingerprint, supersedesId };
  return { kind: supersedesId === null ? ('new_skill' as const) : ('supersede' as const), fingerprint, supersedesId };
}

/** The journal entry of a submitted or revised proposal. */
export function proposalEntry(action: string, id: string, content: ProposalContent): JournalRecord {
  const { kind, skillName, artifactSha256, risk, confidence, supersedesId, cycleId, evidence } = content;
  return {
    action,
    subject: { type: 'proposal', id },
    data: {
      kind,
      skillName,
      artifactSha256,
      risk,
      confidence,
      supersedesId,
      cycleId,
      evidence: EvidenceCounts.parse(evidence),
    },
  };
}

/** Throws `invalid` if the predicate does not say which calls a gate refuses. */
function requireGateCondition(predicate: Predicate | undefined): void {
  if (predicate && callGateOf(predicate)) return;
  throw new DomainError(
    'invalid',
    'proposal.gate_without_condition',
    'gate: the predicate says nothing about a call before it runs, such as its tool or a word in it, so that no call can be refused.',
  );
}

/**
 * The authors of the texts that a new version kept: those whom the earlier proposal names for the very same text. A job
 * cannot name an author, because it only names the proposal.
 */
export function keptAuthors(
  { parts }: KeptEdit,
  proposedSkill: SkillTexts,
  {
    state,
    evidence,
  }: { readonly state: string; readonly evidence: { readonly authored?: readonly Authored[] | undefined } },
): Authored[] {
  if (state !== 'approved') return [];
  return textsOf(proposedSkill)
    .filter(({ part }) => parts.includes(part))
    .flatMap((text) => authorOf(evidence.authored ?? [], text) ?? []);
}

/** The parts that are no texts of their own: the file renders them from their fields. */
const RENDERED: ReadonlySet<string> = new Set(['binding', 'environment', 'example']);

/** The parts whose texts may hold blocks of code. */
const WITH_CODE: ReadonlySet<string> = new Set(['cause', 'action', 'steps', 'gotchas']);

/** Lists the texts that a person changed and that the file cannot hold as they were written, with the reason. */
export function lossesOf(proposedSkill: SkillTexts, before: SkillTexts): string[] {
  const known = new Set(textsOf(before).map(({ part, text }) => `${part} ${text}`));
  return textsOf(proposedSkill)
    .filter(({ part, text }) => !RENDERED.has(part) && !known.has(`${part} ${text}`))
    .flatMap(({ part, number, text }) => {
      const loss = lossOf(text, WITH_CODE.has(part));
      return loss === undefined ? [] : [`${part}${number > 0 ? ` ${number}` : ''} ${loss}`];
    });
}

/** Throws `invalid` if the file would change what a person wrote. */
function requireKept(proposedSkill: SkillTexts, before: SkillTexts): void {
  const losses = lossesOf(proposedSkill, before);
  if (losses.length > 0)
    throw new DomainError('invalid', 'proposal.text_not_kept', `Not saved: ${losses.slice(0, 5).join('; ')}.`);
}
