import { z } from 'zod';

/** Most lines of a batch. */
export const MAX_BATCH = 1_000;

/** The body of a batch, split into lines. Each line is validated by itself later. */
export const linesOf = (description: string, example: string) =>
  z
    .string()
    .meta({ description, example })
    .transform((text) => text.split('\n'))
    .pipe(z.array(z.string()).max(MAX_BATCH, { error: `has more than ${MAX_BATCH} lines` }));

/** What every line of a batch is answered with. */
export const LINE_FIELDS = {
  /** Line number, from 1. Blank lines count but have no result. */
  line: z.int(),
  outcome: z.enum(['new', 'duplicate', 'refused']),
  /** Why the line was refused; the same text as for a single document. */
  problem: z
    .object({
      code: z.string(),
      detail: z.string(),
      errors: z.array(z.object({ field: z.string(), message: z.string() })),
    })
    .optional(),
};

/** The number of lines by outcome. */
export const LINE_COUNTS = { new: z.int(), duplicate: z.int(), refused: z.int() };
