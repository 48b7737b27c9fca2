import { describe, expect, it } from '@jest/globals';
import { IDENTIFIER_FORMATS } from '../../../test/support/identifier-formats.js';
import { identifierReference } from '../../platform/base/identifier-reference.js';
import { redact } from './redact.js';
import { echoed, secretsInIdentifier } from './secrets-in-identifier.js';

const KEY = Buffer.alloc(32, 7);
// Assembled here, so that no file contains a whole secret.
const SECRET = ['gh', 'p_', 'q7Zt2LmX9aBv4Kc1RfY8wDh6NsJ3uEpG5xTb'].join('');

describe.each(Object.entries(IDENTIFIER_FORMATS))('1,000 ids of the format %s', (_, make) => {
  const ids = Array.from({ length: 1_000 }, (_none, n) => make(n));

  it('hold no secret and are echoed', () => {
    for (const id of ids) expect([id, secretsInIdentifier(id)]).toEqual([id, []]);
    expect(ids.map((id) => echoed(id, 'reference'))).toEqual(ids);
  });

  it('have references that no rule changes', () => {
    for (const id of ids) {
      const reference = identifierReference(KEY, id);
      expect(redact(reference).text).toBe(reference);
      const journalled = JSON.stringify({ session: reference, execution: reference });
      expect(redact(journalled).text).toBe(journalled);
    }
  });
});

describe('an identifier with a secret', () => {
  it.each([SECRET, `run-${SECRET}`, `session:${SECRET}`])(
    'is counted by rule, and its reference is echoed: %#',
    (id) => {
      expect(secretsInIdentifier(id)).toEqual([{ rule: 'github-token', count: 1 }]);
      expect(echoed(id, 'reference')).toBe('reference');
      expect(identifierReference(KEY, id)).not.toContain(SECRET.slice(4));
    },
  );
});
