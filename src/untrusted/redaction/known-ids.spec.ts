import { describe, expect, it } from '@jest/globals';
import { AGENT_NAMES, IDS } from '../../../test/support/kept-texts.js';
import { isIdForm } from './known-ids.js';

describe('isIdForm', () => {
  it.each(IDS.filter(([name]) => !/digest|nanoid/.test(name)))('%s', (_, id) => expect(isIdForm(id)).toBe(true));

  it('an identifier behind the words of a name', () => {
    for (const name of AGENT_NAMES.filter((agent) => /[0-9]{3}/.test(agent))) expect(isIdForm(name)).toBe(true);
  });

  it('no key: its prefix names a secret, or no kind of object', () => {
    const random = 'q7Zt2LmX9aBv4Kc1RfY8wDh6NsJ3uEpG';
    for (const key of [
      random,
      `sk-${random}`,
      `key_${random.slice(0, 21)}`,
      `api-${random.slice(0, 21)}`,
      `x9q_${random}`,
    ])
      expect(isIdForm(key)).toBe(false);
  });
});
