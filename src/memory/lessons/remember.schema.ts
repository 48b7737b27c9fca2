import { z } from 'zod';
import { Provenance } from '../store/lesson.schema.js';

const text = (max: number) => z.string().trim().min(1).max(max);

/** What an agent keeps for later: in its own words, for itself, and unverified. */
export const NewMemory = z
  .strictObject({
    /** What to do, or what is so. */
    lesson: text(2_000),
    /** When it applies. */
    task: text(2_000).optional(),
    why: text(2_000).optional(),
    steps: z.array(text(500)).min(1).max(50).optional(),
    /** `non-inferable` says that a model could not know it by itself; without it, it is not told. */
    tags: z.array(text(60)).max(20).default([]),
    /** The memories that it was concluded from. It can authorise nothing that one of them cannot. */
    sources: z.array(z.uuid()).max(50).default([]),
    sessionId: text(200).optional(),
  })
  .meta({ id: 'NewMemory' });
export type NewMemory = z.output<typeof NewMemory>;

export const RememberResult = z
  .object({
    id: z.uuid(),
    /** `unverified`, unless it was known before; `unavailable_at_write_time` where a configured verifier was away. */
    provenance: Provenance,
    /** True: this agent had kept the same before, and it was not stored again. */
    duplicate: z.boolean(),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'RememberResult' });
export type RememberResult = z.infer<typeof RememberResult>;
