import { z } from 'zod';
import { JournalEntry } from '../../journal/journal.schema.js';
import { SkillName } from '../../skills/document/skill-name.schema.js';
import { Evidence, ProposedSkill } from './proposed-skill.schema.js';
import { RetirementRequest } from './retirement-request.schema.js';

export const ProposalKind = z.enum(['new_skill', 'supersede', 'conflict', 'retire', 'amend']);
export type ProposalKind = z.infer<typeof ProposalKind>;

export const ProposalState = z.enum(['pending', 'approved', 'rejected', 'expired', 'withdrawn']);
export type ProposalState = z.infer<typeof ProposalState>;

export const Risk = z.enum(['low', 'medium', 'high', 'critical']);
export type Risk = z.infer<typeof Risk>;

/** What was found in the proposal's text: secrets that were taken out, and hints of injection. */
export const Findings = z.object({
  redactions: z.array(z.object({ rule: z.string(), count: z.int() })),
  suspicions: z.array(z.object({ kind: z.string(), count: z.int() })),
});
export type Findings = z.infer<typeof Findings>;

/** A change that somebody made to a published file, as it was found. */
export const ExternalEditRecord = z
  .object({
    /** Written in the folder, or committed to main. */
    from: z.enum(['folder', 'main']),
    /** Of the file; null when it was deleted. */
    sha256: z.string().nullable(),
    /** The file with secrets taken out; null when it was deleted. */
    text: z.string().nullable(),
    /** What stands elsewhere in the proposal, or (not carried) could not become a part of it. Lines of the file. */
    notes: z.array(z.object({ line: z.int(), message: z.string(), carried: z.boolean() })),
  })
  .meta({ id: 'ExternalEditRecord' });
export type ExternalEditRecord = z.infer<typeof ExternalEditRecord>;

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
    /** Failures in the window × agents affected: what the queue is ranked by. */
    impact: z.int(),
    /** People who approved this revision, and how many have to. */
    votes: z.object({ given: z.int(), needed: z.int() }),
    /** Where the agents stand that it was learned from: who decides has to decide for all of them. Empty: everybody. */
    audience: z.array(z.object({ department: z.string().nullable(), role: z.string().nullable() })),
    /** Near-duplicates share an id; `size` of them wait. */
    cluster: z.object({ id: z.uuid(), size: z.int() }),
    evidence: z.object({
      agents: z.int(),
      owners: z.int(),
      origins: z.int(),
      executions: z.int(),
      failures: z.int(),
    }),
    createdAt: z.string(),
    updatedAt: z.string(),
    expiresAt: z.string(),
    decidedAt: z.string().nullable(),
  })
  .meta({ id: 'ProposalSummary' });
export type ProposalSummary = z.infer<typeof ProposalSummary>;

/** `total` of a page is at most this: people page through a few, and beyond it nobody counts. */
export const MAX_COUNTED = 1_000;

export const ProposalPage = z
  .object({ items: z.array(ProposalSummary), total: z.int(), next: z.string().nullable() })
  .meta({ id: 'ProposalPage' });
export type ProposalPage = z.infer<typeof ProposalPage>;

export const ProposalDetails = ProposalSummary.extend({
  proposedSkill: ProposedSkill,
  evidence: Evidence,
  /** The SKILL.md that an approval publishes, byte for byte; behind it the reference files of a long one. */
  artifact: z.string(),
  findings: Findings,
  /** The change by hand that the item came from. */
  edit: ExternalEditRecord.nullable(),
  /** The decided item that this one asks about again. */
  reopenedFrom: z.uuid().nullable(),
  /** Who wrote this revision, where a person did: not its only approver. */
  editedBy: z.string().nullable(),
  /** Who wrote earlier revisions: neither are they. */
  earlierEditors: z.array(z.string()),
  /** Whose agents it was learned from, where they are all one person's and others review, too: not its only approver. */
  ownedBy: z.string().nullable(),
  /** A unified diff of the file and that of the live skill; without one, of the first item that it contradicts. */
  difference: z.string().nullable(),
  /** The live skill that this one replaces or contradicts, to be read side by side. */
  supersedes: z.object({ id: z.uuid(), name: z.string(), condition: z.string(), action: z.string() }).nullable(),
  /** Items that it contradicts, or that contradict it, what waits first: the other sides, as they are now. */
  contradicts: z.array(
    z.object({
      id: z.uuid(),
      state: ProposalState,
      title: z.string(),
      /** Of the live skill that it became, if it is live. */
      skillName: z.string(),
      isLive: z.boolean(),
      condition: z.string(),
      action: z.string(),
    }),
  ),
  /** Why a job asks for this live skill to be retired; null for everything else. */
  request: RetirementRequest.nullable(),
  /** What reviewers said before about the same pattern. */
  earlierRejections: z.array(z.object({ reason: z.string(), decidedAt: z.string() })),
  decisions: z.array(
    z.object({
      by: z.string(),
      /** `override` is one of the two halves of an override. */
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

/** `next` of the page before: urgent, impact and id of its last item. Or an item that somebody has before them. */
export const QueuePosition = z.union([
  z.uuid(),
  z.string().regex(/^[01]\.-?\d{1,10}\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
]);

export const ProposalQuery = z
  .strictObject({
    state: ProposalState.default('pending'),
    /** Only what waits for you: within your review scope, and without your vote on this revision. */
    mine: z.literal('true', { error: 'is true, or left out' }).optional(),
    limit: z.coerce.number().int().min(1).max(100).default(20),
    after: QueuePosition.optional(),
    kind: ProposalKind.optional(),
    risk: Risk.optional(),
    skill: SkillName.optional(),
    /** Seen by at least so many agents. */
    minAgents: z.coerce.number().int().min(0).max(1_000_000).optional(),
    /** Submitted at or after this time. */
    since: z.iso.datetime({ offset: true }).optional(),
    cluster: z.uuid().optional(),
    /** Beginnings of words of the title, the name or the file, in whatever order and case; in quotes as they follow. */
    q: z.string().trim().min(1).max(200).optional(),
  })
  .refine(({ mine, state }) => mine === undefined || state === 'pending', {
    error: 'is asked of pending items only',
    path: ['mine'],
  });
export type ProposalQuery = z.infer<typeof ProposalQuery>;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, { error: 'must be the 64 hex digits of the artifact that you read' });

const Reason = z.string().trim().min(3, { error: 'is needed: say in a few words why' }).max(2_000);

export const Approve = z.strictObject({ artifactSha256: Sha256 }).meta({ id: 'Approve' });
export type Approve = z.infer<typeof Approve>;

/** An item after a vote. It is approved, or still pending and `says` tells what is missing. */
export const VotedProposal = ProposalSummary.extend({ message: z.string().nullable() }).meta({ id: 'VotedProposal' });
export type VotedProposal = z.infer<typeof VotedProposal>;

/** Approval by two people where the review scope or the number of votes stands in the way: the bytes that you read, and why. */
export const Override = z.strictObject({ artifactSha256: Sha256, reason: Reason }).meta({ id: 'Override' });
export type Override = z.infer<typeof Override>;

/** Another wording, and the artifact of the revision that it was made from. */
export const EditProposal = z
  .strictObject({ artifactSha256: Sha256, proposedSkill: ProposedSkill })
  .meta({ id: 'EditProposal' });
export type EditProposal = z.infer<typeof EditProposal>;

const WasRead = { artifactSha256: Sha256 };

/** What becomes of an item that contradicts a live skill. */
export const Resolve = z
  .discriminatedUnion('as', [
    /** It is to replace the live skill, as it stands. */
    z.strictObject({ as: z.literal('supersede'), ...WasRead }),
    /** What both say, put together by you. */
    z.strictObject({ as: z.literal('amend'), ...WasRead, proposedSkill: ProposedSkill }),
    /** The live skill stands, and the item is rejected. */
    z.strictObject({ as: z.literal('keep'), ...WasRead }),
  ])
  .meta({ id: 'Resolve' });
export type Resolve = z.infer<typeof Resolve>;

export const Reject = z.strictObject({ reason: Reason }).meta({ id: 'Reject' });
export type Reject = z.infer<typeof Reject>;

/** The name that a skill is to have. */
export const Rename = z.strictObject({ to: SkillName }).meta({ id: 'Rename' });
export type Rename = z.infer<typeof Rename>;
