import { z } from 'zod';
import { WRITTEN_PARTS } from './authorship.js';

const Part = z.enum(WRITTEN_PARTS);

/** What a new version of a lesson took over from the texts that a person wrote in an earlier one. */
export const KeptEdit = z
  .object({
    /** The approved proposal that the person edited. */
    from: z.uuid(),
    /** The parts that hold the person's texts; of a list all entries. */
    parts: z.array(Part).max(WRITTEN_PARTS.length),
    /** The parts with the words of its writer, and what the new evidence says against the person's text. */
    left: z.array(z.object({ part: Part, reason: z.string().max(500) })).max(WRITTEN_PARTS.length),
  })
  .meta({ id: 'KeptEdit' });
export type KeptEdit = z.infer<typeof KeptEdit>;
