import { DomainError } from '../../platform/base/domain.errors.js';
import type { StoredFamily } from '../cycle/candidates.schema.js';

/** Families that a message about an ambiguous prefix names, and the digits that it shows of them. */
const NAMED = 5;
const SHOWN = 'sha256:'.length + 16;

/**
 * Returns the family whose fingerprint begins with `prefix`. Throws `not_found` if there is none, `conflict` if there are
 * several.
 */
export function familyOf(families: readonly StoredFamily[], prefix: string): StoredFamily {
  const [found, ...others] = families.filter(({ family }) => family.fingerprint.startsWith(prefix));
  if (!found) throw new DomainError('not_found', 'evolver.unknown_family', `The newest cycle has no family ${prefix}.`);
  if (others.length === 0) return found;
  const named = [found, ...others].slice(0, NAMED).map(({ family }) => family.fingerprint.slice(0, SHOWN));
  const more = others.length < NAMED ? '' : ', …';
  throw new DomainError(
    'conflict',
    'evolver.ambiguous_family',
    `${others.length + 1} families begin with ${prefix}: ${named.join(', ')}${more}. Write more digits.`,
  );
}
