import { z } from 'zod';
import { LESSON_PARTS } from '../../evidence/calls/lesson-parts.schema.js';
import { Binding } from '../../evidence/predicate/check.schema.js';
import { Predicate } from '../../evidence/predicate/predicate.schema.js';
import { FRONTMATTER_LIMITS, visibleLine } from './frontmatter.js';
import { isSkillName } from './slug.js';

/** Text with at least one visible letter or digit, so that no rendered section is empty. */
const text = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .refine((value) => /[\p{L}\p{N}]/u.test(visibleLine(value)), { error: 'must hold a letter or a digit' });

/** The texts of a skill that a reviewer wrote and that name no observed call. Entries of lists count from 1. */
const Reviewed = z.strictObject({
  fields: z.array(
    z.enum(['title', 'description', 'condition', 'binding', 'environment', 'cause', 'action', 'rationale', 'example']),
  ),
  steps: z.array(z.int().min(1)),
  gotchas: z.array(z.int().min(1)),
});
export type Reviewed = Readonly<z.infer<typeof Reviewed>>;

/**
 * All input of a rendered SKILL.md; the same record gives the same bytes. `provenance` is a literal, because only
 * approved text becomes a skill. Figures are no part of it: a reviewer reads them on the review page.
 */
export const SkillRecord = z.strictObject({
  name: z.string().refine(isSkillName, { error: 'must be a slug of at most 64 characters' }),
  title: text(200),
  description: text(FRONTMATTER_LIMITS.description),
  condition: text(2_000),
  action: text(2_000),
  /** Left out if the rationale holds figures only, which the review shows. */
  rationale: text(2_000).optional(),
  steps: z.array(text(500)).min(1).max(50),
  gotchas: z.array(text(500)).max(10),
  version: z.int().min(1),
  proposalId: z.uuid().lowercase(),
  provenance: z.literal('verified'),
  cause: text(600).optional(),
  environment: LESSON_PARTS.environment,
  example: LESSON_PARTS.example,
  binding: Binding.optional(),
  /** The file holds only its hash, with the binding. */
  predicate: Predicate.optional(),
  /** A call that the predicate is about is refused once in a session, with this lesson. */
  gate: z.literal(true).optional(),
  reviewed: Reviewed.optional(),
});
export type SkillRecord = Readonly<z.infer<typeof SkillRecord>>;
