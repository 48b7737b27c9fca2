import { z } from 'zod';
import { CallPair, LESSON_PARTS, ObservedCalls } from '../../evidence/calls/lesson-parts.schema.js';
import { Dossier } from '../../evidence/gates/dossier.schema.js';
import { Binding, Check } from '../../evidence/predicate/check.schema.js';
import { Predicate } from '../../evidence/predicate/predicate.schema.js';
import { count } from '../../platform/base/count.schema.js';
import { ModelWords, WORDING_FAILURES } from '../../propose/model/model-words.schema.js';
import { WRITTEN_PARTS } from '../texts/authorship.js';
import { KeptEdit } from '../texts/kept-edit.schema.js';
import { LoweredBy } from '../texts/rejection-reason.schema.js';

const line = (max: number) => z.string().trim().min(1).max(max);

/** The structured content of a skill. The file is rendered from it by rules and never written by a model. */
export const ProposedSkill = z
  .strictObject({
    title: line(200),
    discovery: line(600),
    condition: line(2_000),
    action: line(2_000),
    rationale: line(2_000),
    steps: z.array(line(500)).min(1).max(50),
    gotchas: z.array(line(500)).max(10),
    tags: z.array(line(60)).max(20),
    ...LESSON_PARTS,
    /** Where it was seen, and therefore holds; without it, everywhere. */
    binding: Binding.optional(),
    /** What it claims, so that executions count for or against it. Its hash, with the binding, is in the file. */
    predicate: Predicate.optional(),
    /**
     * A call that the predicate is about is refused once in a session, with this lesson. Only an edit by a reviewer sets or
     * clears it.
     */
    gate: z.literal(true, { error: 'must be true, or left out' }).optional(),
  })
  .meta({ id: 'ProposedSkill' });
export type ProposedSkill = z.infer<typeof ProposedSkill>;

/** The maximum number of agents that the evidence names, and of its executions that can be opened. */
export const MAX_SEEN_BY = 50;
export const MAX_COUNTED_EXECUTIONS = 1_000;

/** A share with its 95 % Wilson interval; `n` is the number of tries. */
const Rate = z.object({ worked: count, n: count, rate: z.number(), low: z.number(), high: z.number() });

/**
 * Tests the condition on stored executions that are not in the evidence. A share is null if there is not enough
 * evidence for it.
 */
const Backtest = z.object({
  verdict: z.enum(['tested', 'not_enough_evidence']),
  /** The number of executions that it was tested on, of those that were read. */
  tested: count,
  read: count,
  /** The condition matched, and the failure followed. */
  supporting: count,
  /** The condition matched, and no such failure followed. */
  nearMisses: count,
  /** The remedy fixed the same error after another action, where the condition did not match. */
  missed: count,
  precision: Rate.nullable(),
  recall: Rate.nullable(),
});

/** Who worded the texts for people. Condition, action, steps and figures always come from rules. */
const Wording = z.object({
  /** `rules`, or a model with the version of its instructions. */
  by: z.string(),
  /** The wording of the model, so that it can be reused with new evidence. */
  words: ModelWords.nullable(),
  /** Why the rules worded it although a model is configured. */
  reason: z.enum(WORDING_FAILURES).nullable(),
});
export type Wording = z.infer<typeof Wording>;

/** The model that wrote the lesson, `anthropic/…`: of proposals of earlier versions, in which a model wrote beside the rules. */
const Writer = z.object({ by: z.string() });

/** The evidence of a proposal: which agents met the failure, and what worked next. */
export const Evidence = z
  .object({
    /** The agents that had the failure, their owners, and the different tasks of these executions. */
    agents: count,
    owners: count,
    origins: count,
    /**
     * Agents on independent tasks, which the threshold applies to: an agent, a task and a parent task with its sub-agents
     * count once. Evidence of earlier versions lacks it, and its `agents` are these.
     */
    independent: count.optional(),
    /** Owners on independent tasks: an owner and a task count once. Evidence of earlier versions lacks it. */
    independentOwners: count.optional(),
    /** The ids of these executions, those that ended last, as the database takes them. Evidence of earlier versions lacks them. */
    executionIds: z.array(z.guid()).max(MAX_COUNTED_EXECUTIONS).optional(),
    executions: count,
    failures: count,
    /** Different projects and days of these executions. Evidence of earlier versions lacks them. */
    projects: count.optional(),
    days: count.optional(),
    /** The mean of calls that an execution lost to the failure; missing in proposals of earlier versions. */
    callsLost: z.number().nonnegative().optional(),
    firstSeen: z.string(),
    lastSeen: z.string(),
    failing: z.object({ tool: z.string(), action: z.string(), errorClass: z.string(), example: z.string() }),
    /** How often the failing action failed, of the executions that used it. */
    failureRate: Rate,
    repeating: Rate,
    alternatives: z.array(Rate.extend({ action: z.string(), agents: count, lift: z.number().nullable() })).max(20),
    seenBy: z
      .array(z.object({ agent: z.string(), owner: z.string().nullable(), executions: count, failures: count }))
      .max(MAX_SEEN_BY),
    /** Models of these executions, if the reports name them. */
    models: z.array(z.string()).max(50).optional(),
    /** The calls of the remedy that turned a protection off or changed a source, as they were reported, redacted. */
    dangers: z
      .array(
        z.object({
          class: z.enum(['check', 'protection', 'source']),
          program: z.string(),
          form: z.string(),
          call: z.string(),
          times: count,
        }),
      )
      .max(10)
      .optional(),
    /** The calls that worked and that failed; every recommended command is an instance of one that worked. */
    calls: ObservedCalls.optional(),
    /** What the reviewer reads first: of other tasks and agents. Evidence of earlier versions lacks it. */
    pairs: z.array(CallPair).max(5).optional(),
    /** The texts that a person wrote, in the form in which the proposal holds them. The queue fills it. */
    authored: z
      .array(z.object({ part: z.enum(WRITTEN_PARTS), text: z.string(), by: z.string().nullable() }))
      .max(100)
      .optional(),
    backtest: Backtest.optional(),
    /** What executions say that it was not learned from. The queue is ordered by its verdict. */
    check: Check.optional(),
    /** The family of failures, or the runs, that it was learned from. */
    dossier: Dossier.optional(),
    /** Private lessons on the same failure, and those with the same remedy. Their texts stay with their agents. */
    witnesses: z.object({ agents: count, remedies: count }).optional(),
    /** The wording before a person edited it; missing in proposals of earlier versions. */
    wording: Wording.optional(),
    writer: Writer.optional(),
    /** What it took over from the edit of an earlier version, with the reasons for what it did not. */
    kept: KeptEdit.optional(),
    /** Why it was submitted later than its impact says: rejections of what it resembles. It blocks nothing. */
    lowered: z.array(LoweredBy).max(30).optional(),
  })
  .meta({ id: 'Evidence' });
export type Evidence = z.infer<typeof Evidence>;
