import { z } from 'zod';
import { Binding } from '../../evidence/predicate/check.schema.js';
import { JournalEntry } from '../../journal/journal.schema.js';
import { SkillName } from '../../skills/document/skill-name.schema.js';
import { WRITTEN_PARTS } from '../texts/authorship.js';
import { Evidence, ProposedSkill } from './proposed-skill.schema.js';
import { RetirementRequest } from './retirement-request.schema.js';

export const ProposalKind = z.enum(['new_skill', 'supersede', 'conflict', 'retire', 'amend']);
export type ProposalKind = z.infer<typeof ProposalKind>;

export const ProposalState = z.enum(['pending', 'approved', 'rejected', 'expired', 'withdrawn']);
export type ProposalState = z.infer<typeof ProposalState>;

/** What executions say that a proposal was not learned from; the stronger one comes first in the queue. */
export const ProposalVerdict = z.enum(['confirmed', 'observed']);
export type ProposalVerdict = z.infer<typeof ProposalVerdict>;

export const Risk = z.enum(['low', 'medium', 'high', 'critical']);
export type Risk = z.infer<typeof Risk>;

/** What sanitizing found in the proposal's texts: redacted secrets and signs of prompt injection. */
export const Findings = z.object({
  redactions: z.array(z.object({ rule: z.string(), count: z.int() })),
  suspicions: z.array(z.object({ kind: z.string(), count: z.int() })),
});
export type Findings = z.infer<typeof Findings>;

/** An external edit of a published file, as it was found. */
export const ExternalEditRecord = z
  .object({
    /** Edited in the folder, or committed to the main branch. */
    from: z.enum(['folder', 'main']),
    /** SHA-256 of the file; null if it was deleted. */
    sha256: z.string().nullable(),
    /** The redacted file; null if it was deleted. */
    text: z.string().nullable(),
    /** Notes on lines of the file. `carried: false`: the change could not become a part of the proposal. */
    notes: z.array(z.object({ line: z.int(), message: z.string(), carried: z.boolean() })),
  })
  .meta({ id: 'ExternalEditRecord' });
export type ExternalEditRecord = z.infer<typeof ExternalEditRecord>;

/** The counts of an evidence, wherever it is shown in short. */
export const EvidenceCounts = z.object({
  agents: z.int(),
  owners: z.int(),
  origins: z.int(),
  executions: z.int(),
  failures: z.int(),
});

export const ProposalSummary = z
  .object({
    id: z.uuid(),
    kind: ProposalKind,
    state: ProposalState,
    revision: z.int(),
    skillName: z.string(),
    title: z.string(),
    action: z.string(),
    artifactSha256: z.string(),
    risk: Risk,
    confidence: z.number(),
    /** Null if it was not checked: it is not the evolver's, or is of an earlier version. */
    verdict: ProposalVerdict.nullable(),
    /** Calls lost to the failure in the window × affected agents; the queue is ordered by it, within a verdict. */
    impact: z.int(),
    /** The number of people who approved this revision, and the number needed. */
    votes: z.object({ given: z.int(), needed: z.int() }),
    /**
     * The groups of the agents that it was learned from. The reviewer's scope has to cover all of them. Empty: the
     * whole organisation.
     */
    audience: z.array(z.object({ department: z.string().nullable(), role: z.string().nullable() })),
    /** Of a merge, the name of the skill that stays; null for every other proposal. */
    mergesInto: z.string().nullable(),
    /** Where it was seen, and therefore holds; null: everywhere. */
    binding: Binding.nullable(),
    /** The cluster of near-duplicates; `size` is the number of pending ones. */
    cluster: z.object({ id: z.uuid(), size: z.int() }),
    evidence: EvidenceCounts,
    createdAt: z.string(),
    updatedAt: z.string(),
    expiresAt: z.string(),
    decidedAt: z.string().nullable(),
  })
  .meta({ id: 'ProposalSummary' });
export type ProposalSummary = z.infer<typeof ProposalSummary>;

/** The maximum of a page's `total`: counting further is slow and does not help a person who pages through a list. */
export const MAX_COUNTED = 1_000;

export const ProposalPage = z
  .object({ items: z.array(ProposalSummary), total: z.int(), next: z.string().nullable() })
  .meta({ id: 'ProposalPage' });
export type ProposalPage = z.infer<typeof ProposalPage>;

export const ProposalDetails = ProposalSummary.extend({
  proposedSkill: ProposedSkill,
  evidence: Evidence,
  /** The check and the predicate in words, one sentence each; the predicate is empty if there is none. */
  checkWords: z.array(z.string()),
  predicateWords: z.array(z.string()),
  /** The limits of the live skill that this version drops or changes. */
  widens: z.array(
    z.object({ part: z.enum(['harness', 'project', 'environment']), was: z.string(), now: z.string().nullable() }),
  ),
  /** The live skill that it replaces is a gate, and this version is none. */
  dropsGate: z.boolean(),
  /** The exact bytes that an approval publishes: the SKILL.md, followed by the reference files of a long skill. */
  artifact: z.string(),
  findings: Findings,
  /** The external edit that the proposal was made from. */
  edit: ExternalEditRecord.nullable(),
  /** The id of the decided proposal that this one reopens. */
  reopenedFrom: z.uuid().nullable(),
  /** The person who wrote this revision and so cannot be its only approver; null if a job wrote it. */
  editedBy: z.string().nullable(),
  /** The persons who wrote earlier revisions. They cannot be the only approver either. */
  earlierEditors: z.array(z.string()),
  /**
   * The person who owns all agents that it was learned from and so cannot be its only approver; null if there is none.
   */
  ownedBy: z.string().nullable(),
  /**
   * The texts that a person wrote; all others were worded by rules or a model. `number` counts the entries of a list
   * from 1 and is 0 outside of lists; `by` is null for an edit outside Guildbook.
   */
  authors: z.array(
    z.object({
      part: z.enum(WRITTEN_PARTS),
      number: z.int(),
      by: z.string().nullable(),
      /** True if it was written for an earlier version, and kept. */
      kept: z.boolean().optional(),
    }),
  ),
  /** What each edit by a person changed, oldest first: a unified diff of the file. */
  revisions: z.array(z.object({ revision: z.int(), by: z.string(), at: z.string(), difference: z.string() })),
  /**
   * A unified diff against the live skill or, without one, against the first proposal that it contradicts. Of a merge: from
   * the file that goes to the one that stays.
   */
  difference: z.string().nullable(),
  /** The live skill that this proposal replaces or contradicts. */
  supersedes: z.object({ id: z.uuid(), name: z.string(), condition: z.string(), action: z.string() }).nullable(),
  /** The current state of the proposals that contradict this one, pending ones first. */
  contradicts: z.array(
    z.object({
      id: z.uuid(),
      state: ProposalState,
      title: z.string(),
      /** The name of the live skill that it became, else its proposed name. */
      skillName: z.string(),
      isLive: z.boolean(),
      condition: z.string(),
      action: z.string(),
    }),
  ),
  /** Why a job requests the retirement of this live skill; null for other proposals. */
  request: RetirementRequest.nullable(),
  /** Of a merge, the skill that stays, as it was when the merge was proposed; null for other proposals. */
  keeps: z
    .object({
      proposalId: z.uuid(),
      skillName: z.string(),
      title: z.string(),
      version: z.int(),
      /** This version is live. */
      isLive: z.boolean(),
      /** Its files, to read beside `artifact`. */
      artifact: z.string(),
      artifactSha256: z.string(),
      evidence: EvidenceCounts,
    })
    .nullable(),
  /** Earlier rejections of the same pattern. */
  earlierRejections: z.array(z.object({ reason: z.string(), decidedAt: z.string() })),
  decisions: z.array(
    z.object({
      by: z.string(),
      /** `override` is one of the two approvals of an override. */
      verdict: z.enum(['approved', 'rejected', 'override']),
      reason: z.string().nullable(),
      revision: z.int(),
      artifactSha256: z.string(),
      decidedAt: z.string(),
    }),
  ),
  history: z.array(JournalEntry),
}).meta({ id: 'ProposalDetails' });
export type ProposalDetails = z.infer<typeof ProposalDetails>;

/** `next` of the previous page (urgent, verdict, impact and id of its last proposal), or the id of a proposal. */
export const QueuePosition = z.union([
  z.uuid(),
  z.string().regex(/^[01]\.(?:confirmed|unchecked|observed)\.-?\d{1,10}\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
]);

export const ProposalQuery = z
  .strictObject({
    state: ProposalState.default('pending'),
    /** Only proposals that you can decide: within your review scope and without your vote on this revision. */
    mine: z.literal('true', { error: 'must be true, or left out' }).optional(),
    limit: z.coerce.number().int().min(1).max(100).default(20),
    after: QueuePosition.optional(),
    kind: ProposalKind.optional(),
    risk: Risk.optional(),
    verdict: ProposalVerdict.optional(),
    skill: SkillName.optional(),
    /** Seen by at least so many agents. */
    minAgents: z.coerce.number().int().min(0).max(1_000_000).optional(),
    /** Submitted at or after this time. */
    since: z.iso.datetime({ offset: true }).optional(),
    cluster: z.uuid().optional(),
    /**
     * Prefixes of words in the title, the name or the file, in any order and case; a phrase in quotes is matched as
     * written.
     */
    q: z.string().trim().min(1).max(200).optional(),
  })
  .refine(({ mine, state }) => mine === undefined || state === 'pending', {
    error: 'works only with pending proposals',
    path: ['mine'],
  });
export type ProposalQuery = z.infer<typeof ProposalQuery>;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, { error: 'must be the 64 hex digits of the artifact that you read' });

const Reason = z.string().trim().min(3, { error: 'must have at least 3 characters' }).max(2_000);

export const Approve = z.strictObject({ artifactSha256: Sha256 }).meta({ id: 'Approve' });
export type Approve = z.infer<typeof Approve>;

/** A proposal after a vote: approved, or still pending with a `message` about the missing votes. */
export const VotedProposal = ProposalSummary.extend({ message: z.string().nullable() }).meta({ id: 'VotedProposal' });
export type VotedProposal = z.infer<typeof VotedProposal>;

/** One of the two approvals of an override: the hash of the bytes that you read, and the reason. */
export const Override = z.strictObject({ artifactSha256: Sha256, reason: Reason }).meta({ id: 'Override' });
export type Override = z.infer<typeof Override>;

/** Another wording, and the hash of the revision that it was made from. */
export const EditProposal = z
  .strictObject({ artifactSha256: Sha256, proposedSkill: ProposedSkill })
  .meta({ id: 'EditProposal' });
export type EditProposal = z.infer<typeof EditProposal>;

const ReadRevision = { artifactSha256: Sha256 };

/** How a contradiction is resolved. */
export const Resolve = z
  .discriminatedUnion('as', [
    /** The proposal replaces the live skill without a change. */
    z.strictObject({ as: z.literal('supersede'), ...ReadRevision }),
    /** Your wording merges both. */
    z.strictObject({ as: z.literal('amend'), ...ReadRevision, proposedSkill: ProposedSkill }),
    /** The live skill stays, and the proposal is rejected. */
    z.strictObject({ as: z.literal('keep'), ...ReadRevision }),
  ])
  .meta({ id: 'Resolve' });
export type Resolve = z.infer<typeof Resolve>;

export const Reject = z.strictObject({ reason: Reason }).meta({ id: 'Reject' });
export type Reject = z.infer<typeof Reject>;

/** The new name of a skill. */
export const Rename = z.strictObject({ to: SkillName }).meta({ id: 'Rename' });
export type Rename = z.infer<typeof Rename>;
