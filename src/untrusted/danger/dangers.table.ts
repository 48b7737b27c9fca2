import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { z } from 'zod';

const Forms = z.array(z.string().regex(/^\S+(?: \S+)*$/)).min(1);

/** A table of `dangers.toml`, which describes its keys and the forms. */
const DangerousForms = z.strictObject({
  programs: Forms.element,
  source: z.string().min(1),
  check: Forms.optional(),
  protection: Forms.optional(),
  foreign: Forms.optional(),
  variables: z.partialRecord(z.enum(['check', 'protection', 'source']), Forms).optional(),
  valued: z.string().optional(),
  hasSingleHyphen: z.literal(true).optional(),
});
export type DangerousForms = z.infer<typeof DangerousForms>;

/** All rows of the table. */
export const DANGEROUS_FORMS: readonly DangerousForms[] = z
  .strictObject({ forms: z.array(DangerousForms) })
  .parse(parse(readFileSync(new URL('dangers.toml', import.meta.url), 'utf8'))).forms;
