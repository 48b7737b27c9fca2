import { z } from 'zod';
import { LESSON_PARTS } from '../../evidence/calls/lesson-parts.schema.js';
import { Binding } from '../../evidence/predicate/check.schema.js';

/** The optional parts: what happened, and where an approved lesson was seen. */
const PARTS = { ...LESSON_PARTS, binding: Binding.optional() } as const;

/**
 * The text of a memory in three tiers: what it is about, when and what to do, and the steps. It contains neither its
 * origin nor its visibility.
 */
export const Lesson = z.strictObject({
  /** Tier 1, discovery: about 100 tokens that say what this is about. */
  discovery: z.string().trim().min(1).max(600),
  /** Tier 2, activation: when it applies, what to do, and why. */
  activation: z.strictObject({
    condition: z.string().trim().min(1).max(2_000),
    action: z.string().trim().min(1).max(2_000),
    rationale: z.string().trim().min(1).max(2_000),
  }),
  /** Tier 3, execution: ordered steps. */
  steps: z.array(z.string().trim().min(1).max(500)).min(1).max(50),
  ...PARTS,
  confidence: z.number().min(0).max(1),
  tags: z.array(z.string().trim().min(1).max(60)).max(20),
});
export type Lesson = Readonly<z.infer<typeof Lesson>>;

/** What shows what happened: stored together, beside the texts and steps. */
export const LessonParts = z.strictObject(PARTS);
export type LessonParts = Readonly<z.infer<typeof LessonParts>>;

/** The parts that a lesson or a proposed skill has. */
export const partsOf = ({ cause, environment, example, binding }: LessonParts): LessonParts => ({
  ...(cause === undefined ? {} : { cause }),
  ...(environment === undefined ? {} : { environment }),
  ...(example === undefined ? {} : { example }),
  ...(binding === undefined ? {} : { binding }),
});

export const Provenance = z.enum(['verified', 'unverified', 'unavailable_at_write_time']);
export type Provenance = z.infer<typeof Provenance>;

/** Kind of knowledge: how something is done, what is true, or what happened. */
export const Category = z.enum(['PROCEDURAL', 'SEMANTIC', 'EPISODIC']);
export type Category = z.infer<typeof Category>;

export const Scope = z.enum(['agent', 'role', 'department', 'org']);
export type Scope = z.infer<typeof Scope>;
