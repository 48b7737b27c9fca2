import { z } from 'zod';
import { Dossier } from '../../evidence/gates/dossier.schema.js';
import { Arm, Binding, Check, Verdict } from '../../evidence/predicate/check.schema.js';
import { Predicate } from '../../evidence/predicate/predicate.schema.js';
import { DROP_REASONS } from '../examination/drop-reason.js';

/** `sha256:` and 64 hexadecimal digits. */
const Fingerprint = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, { error: 'must be sha256: followed by 64 hex digits' })
  .meta({ example: `sha256:${'5f'.repeat(32)}` });

/** A family of failures: what its decisive error lines say, and how often it was met. */
export const FamilyRow = z
  .object({
    fingerprint: z.string(),
    signature: z.string(),
    tools: z.array(z.string()),
    actions: z.array(z.string()),
    agents: z.int(),
    executions: z.int(),
    failures: z.int(),
  })
  .meta({ id: 'FailureFamily' });
export type FamilyRow = z.infer<typeof FamilyRow>;

/** A checked candidate. */
export const CandidateRow = z
  .object({
    /** The same in every cycle for one lesson about one family. */
    id: z.string(),
    family: FamilyRow,
    /** How the taught call relates to the failed one. */
    how: z.string(),
    action: z.string(),
    predicate: Predicate,
    /** The predicate, one line for each part. */
    words: z.array(z.string()),
    verdict: Verdict,
    /** Executions that followed it and those that did not, in the comparison that decides. */
    with: Arm,
    without: Arm,
    /** Why it became no draft; null if it became one. */
    because: z.enum(DROP_REASONS).nullable(),
    /** What grounding or lint found. */
    findings: z.array(z.string()),
    /** The number of executions with which it was examined. It is examined again when they grow. */
    examined: z.int(),
    check: Check,
    binding: Binding,
  })
  .meta({ id: 'CheckedCandidate' });
export type CandidateRow = z.infer<typeof CandidateRow>;

/** Candidates by verdict. */
export const VerdictCounts = z.object({
  confirmed: z.int(),
  observed: z.int(),
  undecided: z.int(),
  refuted: z.int(),
});
export type VerdictCounts = z.infer<typeof VerdictCounts>;
export const NO_CANDIDATES: VerdictCounts = { confirmed: 0, observed: 0, undecided: 0, refuted: 0 };

/** The cycle whose candidates or families are listed; null before the first completed cycle. */
const cycle = z.object({ id: z.uuid(), finishedAt: z.string() }).nullable();
const limit = z.coerce.number().int().min(1).max(100).default(20);

export const CandidateQuery = z.strictObject({
  verdict: Verdict.optional(),
  limit,
  /** Id of the last candidate of the page before. */
  after: Fingerprint.optional(),
});
export type CandidateQuery = z.infer<typeof CandidateQuery>;

export const CandidateList = z
  .object({
    cycle,
    items: z.array(CandidateRow),
    /** Over all pages. */
    total: z.int(),
    /** For `after`; null on the last page. */
    next: z.string().nullable(),
  })
  .meta({ id: 'CandidateList' });
export type CandidateList = z.infer<typeof CandidateList>;

export const FamilyQuery = z.strictObject({
  limit,
  /** Fingerprint of the last family of the page before. */
  after: Fingerprint.optional(),
});
export type FamilyQuery = z.infer<typeof FamilyQuery>;

export const FamilyList = z
  .object({ cycle, items: z.array(FamilyRow), total: z.int(), next: z.string().nullable() })
  .meta({ id: 'FamilyList' });
export type FamilyList = z.infer<typeof FamilyList>;

export const FamilyFingerprint = Fingerprint;

/** A family as a cycle stores it. */
export const StoredFamily = z.object({
  family: FamilyRow,
  dossier: Dossier,
});
export type StoredFamily = z.infer<typeof StoredFamily>;

export const FamilyDetails = z
  .object({
    family: FamilyRow,
    dossier: Dossier,
    /** The candidates of the family in the same cycle. */
    candidates: z.array(CandidateRow),
    /** The newest proposals about the family, of whatever state. */
    proposals: z.array(
      z.object({
        id: z.uuid(),
        title: z.string(),
        state: z.string(),
        kind: z.string(),
        writer: z.string(),
        /** Why it was rejected. */
        reason: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'FamilyDetails' });
export type FamilyDetails = z.infer<typeof FamilyDetails>;
