import { z } from 'zod';
import { LoweredBy } from '../../approvals/texts/rejection-reason.schema.js';
import { WITHOUT_LESSON } from '../examination/family-outcomes.js';
import { SupportLevel } from '../support/support.schema.js';
import { WordingCounts } from '../wording/wording-counts.schema.js';
import { CandidateRow, NO_CANDIDATES, VerdictCounts } from './candidates.schema.js';

/** The schedule of cycles that run by themselves: each minute a look whether one is due. */
export const EACH_MINUTE = '* * * * *';

export const StartCycle = z
  .strictObject({
    /** True: report what would be proposed, and write nothing. */
    dryRun: z.boolean().default(false),
    /** False: answer once the cycle has started, for cycles that take longer than a client or a proxy waits. */
    wait: z.boolean().default(true),
  })
  .meta({ id: 'StartCycle' });
export type StartCycle = z.infer<typeof StartCycle>;

const Finding = z.object({
  title: z.string(),
  action: z.string(),
  kind: z.enum(['new_skill', 'supersede', 'conflict']),
  confidence: z.number(),
  agents: z.int(),
  owners: z.int(),
  origins: z.int(),
  executions: z.int(),
  failures: z.int(),
  /** How often the action worked, out of how often it was tried. */
  worked: z.int(),
  tried: z.int(),
  outcome: z.enum(['submitted', 'refreshed', 'unchanged', 'dry_run', 'refused']),
  proposalId: z.uuid().nullable(),
  reason: z.string().nullable(),
  /** Why it came later than its impact says. */
  lowered: z.array(LoweredBy).optional(),
});

const Unsolved = z.object({
  action: z.string(),
  errorClass: z.string(),
  agents: z.int(),
  executions: z.int(),
  failures: z.int(),
  /** The mean of calls that an execution lost to it; missing in reports of earlier versions. */
  callsLost: z.number().optional(),
});

const Overcome = Unsolved.extend({
  because: z.enum(WITHOUT_LESSON),
  /** What executions did, most of them first: the steps and the call that worked, and why it may not be advised. */
  ways: z.array(z.object({ calls: z.array(z.string()), because: z.string().nullable(), executions: z.int() })),
});

const NotProposed = z.object({
  title: z.string(),
  because: z.enum([
    'already_pending',
    /** More drafts than one cycle or the queue takes: a later cycle proposes it. */
    'over_limit',
    /** Says no more than another proposal of the same cycle. */
    'subsumed',
    'already_approved',
    'rejected_before',
    'low_confidence',
    /** Nothing else overcame it. */
    'only_skipped_a_check',
    ...WITHOUT_LESSON,
    /** No execution got past it. */
    'unsolved',
  ]),
  /**
   * The reason of the rejection, the title of the proposal of the cycle that says it, or how executions got past the
   * failure, with their number.
   */
  reason: z.string().nullable(),
  /** The pending proposal that says the same. */
  proposalId: z.uuid().nullable(),
  agents: z.int(),
  failures: z.int(),
  worked: z.int(),
  tried: z.int(),
  /** Null if there was no remedy to be confident of. */
  confidence: z.number().nullable(),
  /** Why it came later than its impact says. */
  lowered: z.array(LoweredBy).optional(),
});

/** Rows of each list of a report in the list of cycles. */
export const LISTED_ROWS = 50;

const Tasks = z.object({
  /** Checks that enough agents failed, by who passed them: enough others, a few, or no agent. */
  overcome: z.int(),
  open: z.int(),
  unsolved: z.int(),
  problems: z.array(
    z.object({
      /** Hash of the task's text and sources. */
      origin: z.string(),
      /** Empty if only the task as a whole was checked. */
      check: z.string(),
      verdict: z.enum(['overcome', 'open', 'unsolved']),
      failedBy: z.int(),
      passedBy: z.int(),
      executions: z.int(),
    }),
  ),
});

/** What a cycle read, what it kept at each step, and why it dropped the rest. */
export const CycleReport = z
  .object({
    window: z.object({ from: z.string(), to: z.string() }),
    executionsRead: z.int(),
    patterns: z.int(),
    /** Families of failures in the window, and those of enough agents, whose executions were examined. */
    families: z.int().default(0),
    examined: z.int().default(0),
    /** Checked candidates by verdict. */
    candidates: VerdictCounts.default(NO_CANDIDATES),
    kept: z.int(),
    belowThreshold: z.int(),
    /** How much independent support a problem needed, by the agents of the window. Earlier reports lack it. */
    support: SupportLevel.optional(),
    lowConfidence: z.int(),
    alreadyPending: z.int(),
    /** Say no more than another proposal of the same cycle. */
    subsumed: z.int().default(0),
    alreadyApproved: z.int(),
    rememberedRejections: z.int(),
    conflicts: z.int(),
    supersessions: z.int(),
    /** Overcome by repeating the same action: nothing to learn. */
    passing: z.int(),
    /** The failures of the window, each in one place. Those that are no fault of the procedure are in `excludedFailures`. */
    places: z.record(z.string(), z.int()).default({}),
    /** No observed call shows their remedy, or they teach nothing. */
    unwordable: z.int(),
    emitted: z.int(),
    heldBack: z.int(),
    excludedFailures: z.record(z.string(), z.int()),
    proposals: z.array(Finding),
    /** No execution got past them. */
    unsolved: z.array(Unsolved),
    /** Executions got past them, and nothing that they did became a lesson. */
    overcome: z.array(Overcome).default([]),
    /** Every candidate that became no proposal, except those that too few agents met, with the reason. */
    notProposed: z.array(NotProposed).default([]),
    /** The lengths of the lists: the list of cycles has the first 50 rows of each, a single cycle has all. */
    totals: z
      .object({
        proposals: z.int(),
        notProposed: z.int(),
        unsolved: z.int(),
        problems: z.int(),
        candidates: z.int().default(0),
      })
      .optional(),
    /** Only overcome by skipping a check, which is no remedy. */
    onlySkipped: z.array(Unsolved).default([]),
    /** Of too little support, those with the most failures; `belowThreshold` counts all. `supported`: how much they have. */
    tooFew: z.array(Unsolved.extend({ supported: z.int().optional() })).default([]),
    /** The checked candidates, those that became no draft first; at most 200. `totals` counts all. */
    candidateList: z.array(CandidateRow).default([]),
    tasks: Tasks.default({ overcome: 0, open: 0, unsolved: 0, problems: [] }),
    /** Only of submitted drafts: a dry run uses no model. */
    wording: WordingCounts.default({ byModel: 0, kept: 0, byRules: 0, reasons: {} }),
    seconds: z.number(),
    /** Of the model that worded drafts; a call of unknown usage counts at its maximum. */
    tokens: z.int(),
    usd: z.number().default(0),
  })
  .meta({ id: 'CycleReport' });
export type CycleReport = z.infer<typeof CycleReport>;
export type CycleResult = CycleReport['proposals'][number];

export const Cycle = z
  .object({
    id: z.uuid(),
    trigger: z.enum(['request', 'schedule']),
    dryRun: z.boolean(),
    state: z.enum(['running', 'completed', 'failed']),
    startedAt: z.string(),
    finishedAt: z.string().nullable(),
    report: CycleReport.nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'Cycle' });
export type Cycle = z.infer<typeof Cycle>;

export const CycleList = z
  .object({
    items: z.array(Cycle),
    /** Over all pages. */
    total: z.int(),
    /** For `after`; null on the last page. */
    next: z.uuid().nullable(),
  })
  .meta({ id: 'CycleList' });
export type CycleList = z.infer<typeof CycleList>;

export const CycleQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  /** Id of the last cycle of the page before. */
  after: z.uuid().optional(),
});
export type CycleQuery = z.infer<typeof CycleQuery>;
