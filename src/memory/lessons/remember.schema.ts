import { z } from 'zod';
import { LINE_COUNTS, LINE_FIELDS, linesOf } from '../../platform/http/line-receipt.schema.js';
import { Provenance } from '../store/lesson.schema.js';

/** Most characters of a text of a note. */
export const MAX_NOTE_TEXT = 2_000;
export const MAX_NOTE_STEP = 500;
export const MAX_NOTE_TAG = 60;
export const MAX_NOTE_TAGS = 20;

const text = (max: number) => z.string().trim().min(1).max(max);

/** A memory that an agent writes for itself, in its own words. It is stored unverified. */
export const NewMemory = z
  .strictObject({
    /** The action to take, or the fact. */
    lesson: text(MAX_NOTE_TEXT),
    /** When it applies. */
    task: text(MAX_NOTE_TEXT).optional(),
    why: text(MAX_NOTE_TEXT).optional(),
    steps: z.array(text(MAX_NOTE_STEP)).min(1).max(50).optional(),
    /** `non-inferable` states that a model could not know it by itself. Without the tag the answer warns. */
    tags: z.array(text(MAX_NOTE_TAG)).max(MAX_NOTE_TAGS).default([]),
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
  .meta({ id: 'RememberResult' });
export type RememberResult = z.infer<typeof RememberResult>;

export const NoteLines = linesOf(
  'One memory per line, in the same form as a single one',
  ['The nightly export needs python3', 'The staging host has no swap']
    .map((lesson) => JSON.stringify({ lesson }))
    .join('\n'),
);
export type NoteLines = z.infer<typeof NoteLines>;

export const RememberLine = z
  .object({ ...LINE_FIELDS, ...RememberResult.omit({ duplicate: true }).partial().shape })
  .meta({ id: 'RememberLine' });

export const RememberBatch = z.object({ ...LINE_COUNTS, lines: z.array(RememberLine) }).meta({ id: 'RememberBatch' });
export type RememberBatch = z.infer<typeof RememberBatch>;
