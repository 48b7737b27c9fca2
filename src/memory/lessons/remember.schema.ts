import { z } from 'zod';
import { Provenance } from '../store/lesson.schema.js';

const text = (max: number) => z.string().trim().min(1).max(max);

/** A memory that an agent writes for itself, in its own words. It is stored unverified. */
export const NewMemory = z
  .strictObject({
    /** The action to take, or the fact. */
    lesson: text(2_000),
    /** When it applies. */
    task: text(2_000).optional(),
    why: text(2_000).optional(),
    steps: z.array(text(500)).min(1).max(50).optional(),
    /**
     * Must contain `non-inferable` for the memory to be delivered: the tag states that a model could not know it by
     * itself.
     */
    tags: z.array(text(60)).max(20).default([]),
    /**
     * Ids of the memories that it was concluded from. It cannot authorise an action that one of them cannot authorise.
     */
    sources: z.array(z.uuid()).max(50).default([]),
    sessionId: text(200).optional(),
  })
  .meta({ id: 'NewMemory' });
export type NewMemory = z.output<typeof NewMemory>;

export const RememberResult = z
  .object({
    id: z.uuid(),
    /**
     * `unverified`, or the provenance of the existing memory if it is a duplicate. `unavailable_at_write_time` if a
     * configured verifier was unavailable.
     */
    provenance: Provenance,
    /** True if this agent had stored the same content before; it was not stored again. */
    duplicate: z.boolean(),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'Remembered' });
export type RememberResult = z.infer<typeof RememberResult>;
