import { z } from 'zod';
import { FRONTMATTER_LIMITS, visibleLine } from './frontmatter.js';
import { isSkillName } from './slug.js';

/** Text with at least one visible letter or digit, so that no rendered section is empty. */
const text = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .refine((value) => /[\p{L}\p{N}]/u.test(visibleLine(value)), { error: 'must hold a letter or a digit' });

const count = z.int().min(0).max(1_000_000_000);

/** Evidence of a skill: the counts that a reviewer saw, and a one-line summary. Dates are YYYY-MM-DD. */
const SkillEvidence = z.strictObject({
  agents: count,
  owners: count,
  origins: count,
  executions: count,
  failures: count,
  firstSeen: z.iso.date(),
  lastSeen: z.iso.date(),
  summary: text(300),
});

/**
 * All input of a rendered SKILL.md; the same record gives the same bytes. `provenance` is a literal, because only
 * approved text becomes a skill, and the word is part of the hashed bytes.
 */
export const SkillRecord = z.strictObject({
  name: z.string().refine(isSkillName, { error: 'must be a slug of at most 64 characters' }),
  title: text(200),
  description: text(FRONTMATTER_LIMITS.description),
  condition: text(2_000),
  action: text(2_000),
  rationale: text(2_000),
  steps: z.array(text(500)).min(1).max(50),
  gotchas: z.array(text(500)).max(10),
  tags: z.array(text(60)).max(20),
  version: z.int().min(1),
  proposalId: z.uuid().lowercase(),
  provenance: z.literal('verified'),
  evidence: SkillEvidence,
});
export type SkillRecord = Readonly<z.infer<typeof SkillRecord>>;
