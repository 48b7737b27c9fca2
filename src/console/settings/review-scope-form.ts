import { z } from 'zod';
import { ReviewScope } from '../../access/identity/access.schema.js';

const SEPARATOR = /[\n,;]/;
/** Room for 50 parts of two names each. */
const LONGEST = 11_000;

/**
 * A review scope as it is written in a form, as on the command line: `department`, `department:role` or `:role`, one a
 * line or with commas between them. Nothing is the whole organisation.
 */
export const ReviewScopeText = z
  .string()
  .max(LONGEST)
  .default('')
  .transform((text) => {
    const parts = text.split(SEPARATOR).map((part) => part.trim());
    const written = parts.filter((part) => part !== '');
    return written.length === 0 ? null : written.map(partOf);
  })
  .pipe(ReviewScope);

function partOf(text: string): { department?: string | undefined; role?: string | undefined } {
  const at = text.indexOf(':');
  const [department, role] = at < 0 ? [text, ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  return { ...(department === '' ? {} : { department }), ...(role === '' ? {} : { role }) };
}

/** The same as it is written. */
export const reviewScopeText = (reviewScope: ReviewScope): string =>
  (reviewScope ?? [])
    .map(({ department = '', role }) => (role === undefined ? department : `${department}:${role}`))
    .join('\n');
