import { z } from 'zod';
import { count } from '../../platform/base/count.schema.js';
import { EnvironmentFact } from '../calls/lesson-parts.schema.js';

/**
 * What the figures say about a lesson, the strongest first. `observed`: it worked at least three times and hardly
 * by chance, with too few tries for more.
 */
export const VERDICTS = ['confirmed', 'observed', 'undecided', 'refuted'] as const;
export const Verdict = z.enum(VERDICTS);
export type Verdict = z.infer<typeof Verdict>;

/** The ways in which executions are compared; see {@link Predicate}. The last two are of earlier versions. */
export const ARM_KINDS = ['after', 'form', 'start', 'execution'] as const;
export type ArmKind = (typeof ARM_KINDS)[number];

/** Executions that tried, and those of them in which it worked. */
export const Arm = z.strictObject({ worked: count, n: count });
export type Arm = Readonly<z.infer<typeof Arm>>;

/** One comparison: first tries that follow the lesson with first tries that do not. */
export const Comparison = z.strictObject({
  kind: z.enum(ARM_KINDS),
  with: Arm,
  without: Arm,
  /** Of the shares, with the 95 % interval of Newcombe; null without tries on both sides. */
  difference: z.strictObject({ value: z.number(), low: z.number(), high: z.number() }).nullable(),
  /** Fisher's exact test, two-sided. */
  p: z.number().nullable(),
  /** The difference within agents (Mantel-Haenszel), and the agents on both sides. */
  withinAgents: z.strictObject({ agents: count, difference: z.number(), low: z.number(), high: z.number() }).nullable(),
  /** Executions in which only the try that follows worked, and those in which only the other did; exact test. */
  pairs: z.strictObject({ better: count, worse: count, p: z.number() }).nullable(),
  /** The share of shuffles within executions that look as good; null if not computed. */
  permutation: z.number().nullable(),
  verdict: Verdict,
});
export type Comparison = Readonly<z.infer<typeof Comparison>>;

/** The check of a lesson on executions that it was not learned from. */
export const Check = z
  .strictObject({
    verdict: Verdict,
    /** Which executions were held out: those of other origins, or the later ones of one project. */
    split: z.enum(['origin', 'time']),
    /** The comparison that decides; null if there was none. */
    by: z.enum(ARM_KINDS).nullable(),
    comparisons: z.array(Comparison).max(4),
    /** All executions of the sample, those that it was learned from included: the counts of an observed lesson. */
    seen: z.strictObject({ with: Arm, without: Arm }),
    /** The share of failures matching `when` that belong to the family, and how many match. */
    scope: z.strictObject({ share: z.number(), n: count }).nullable(),
    /**
     * How often it stays confirmed if one agent, or one harness, is left out; null if there is only one, and `of` 0 if none
     * is known.
     */
    withoutOneAgent: z.strictObject({ confirmed: count, of: count }).nullable(),
    withoutOneHarness: z.strictObject({ confirmed: count, of: count }).nullable(),
  })
  .meta({ id: 'Check' });
export type Check = Readonly<z.infer<typeof Check>>;

/** Where a lesson was seen, and therefore holds until it is confirmed elsewhere. A missing part does not limit it. */
export const Binding = z
  .strictObject({
    harness: z.string().trim().min(1).max(120).optional(),
    project: z.string().trim().min(1).max(120).optional(),
    environment: z.array(EnvironmentFact).max(8).optional(),
  })
  .meta({ id: 'Binding' });
export type Binding = Readonly<z.infer<typeof Binding>>;

/**
 * The pair that a person sees: tries that follow the lesson, and tries that do not. Of the comparison that decides; of an
 * observed lesson of all executions, those that it was learned from included, since no comparison decides it.
 */
export function pairOf({ verdict, by, comparisons, seen }: Check): { readonly with: Arm; readonly without: Arm } {
  const { with: followed, without } =
    (verdict === 'observed' ? undefined : comparisons.find(({ kind }) => kind === by)) ?? seen;
  return { with: followed, without };
}
