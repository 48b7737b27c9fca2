import { z } from 'zod';
import { count } from '../../platform/base/count.schema.js';
import { ModelWords, WORDING_FAILURES } from '../../propose/model/model-words.schema.js';

const line = (max: number) => z.string().trim().min(1).max(max);

/** What an org skill would say: structured, so that the file is rendered by us and never written by a model. */
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
  })
  .meta({ id: 'ProposedSkill' });
export type ProposedSkill = z.infer<typeof ProposedSkill>;

/** As many agents as the evidence names. */
export const MAX_SEEN_BY = 50;

/** A share with its 95 % Wilson interval; `n` is the number of tries it was counted from. */
const Rate = z.object({ worked: count, n: count, rate: z.number(), low: z.number(), high: z.number() });

/**
 * Where its condition would have fired among stored executions that did not make the proposal (spec E3). A share is null
 * where there is not enough evidence for one.
 */
const Backtest = z.object({
  verdict: z.enum(['tested', 'not_enough_evidence']),
  /** Executions that it was tested on, of those that were read. */
  tested: count,
  read: count,
  /** It fired, and the failure came. */
  supporting: count,
  /** It fired, and nothing of the kind happened. */
  nearMisses: count,
  /** The remedy overcame the same error after another action, where the condition did not fire. */
  missed: count,
  precision: Rate.nullable(),
  recall: Rate.nullable(),
});

/** Who found the words that people read; condition, action, steps and figures are always by rules. */
const Wording = z.object({
  /** `rules`, or a model with the version of its instructions. */
  by: z.string(),
  /** What the model wrote, so that new evidence need not be worded anew. */
  words: ModelWords.nullable(),
  /** Why the rules, where a model words proposals. */
  reason: z.enum(WORDING_FAILURES).nullable(),
});
export type Wording = z.infer<typeof Wording>;

/** Why the proposal is made: who met the failure, and what worked next (spec E1.3, E1.4). */
export const Evidence = z
  .object({
    /** Distinct agents on independent tasks: what the threshold is applied to. */
    agents: count,
    owners: count,
    origins: count,
    executions: count,
    failures: count,
    firstSeen: z.string(),
    lastSeen: z.string(),
    failing: z.object({ tool: z.string(), action: z.string(), errorClass: z.string(), example: z.string() }),
    /** Executions that used the failing action, and in how many of them it failed. */
    failureRate: Rate,
    repeating: Rate,
    alternatives: z.array(Rate.extend({ action: z.string(), agents: count, lift: z.number().nullable() })).max(20),
    seenBy: z
      .array(z.object({ agent: z.string(), owner: z.string().nullable(), executions: count, failures: count }))
      .max(MAX_SEEN_BY),
    /** Models that these executions ran on, where the reports say so. */
    models: z.array(z.string()).max(50).optional(),
    backtest: Backtest.optional(),
    /** How it was worded before a person edited it; proposals of earlier versions do not say. */
    wording: Wording.optional(),
  })
  .meta({ id: 'Evidence' });
export type Evidence = z.infer<typeof Evidence>;
