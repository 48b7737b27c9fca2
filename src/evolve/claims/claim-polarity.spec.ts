import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { polarityOf } from './claim-polarity.js';

const asserted = (text: string): string[] => [...polarityOf(text).asserted].sort();
const refused = (text: string): string[] => polarityOf(text).negated.map((scope) => scope.join(' '));

describe('the polarity of a text', () => {
  it('negates a clause and no more', () => {
    expect(refused('Do not restart the service; check the logs')).toEqual(['restart service']);
    expect(asserted('Do not restart the service; check the logs')).toEqual(['check', 'log']);
  });

  it('finds negation in contractions, in "instead of" and inside Chinese words', () => {
    expect(refused("Don't restart it")).toEqual(['restart']);
    expect(refused('Use python3 instead of python')).toEqual(['python']);
    expect(refused('不要重启')).toHaveLength(1);
  });

  it('negates a Japanese or Korean clause from its end', () => {
    expect(asserted('再起動しないでください')).toEqual([]);
    expect(asserted('재시작하지 마세요')).toEqual([]);
  });

  it('cancels a negation by a second one', () => {
    expect(refused('Never deploy without a backup')).toEqual([]);
    expect(asserted('Never deploy without a backup')).toEqual(['backup', 'deploy']);
  });

  it('ignores endings and synonyms, and keeps flags whole', () => {
    expect(asserted('Rebooted servers')).toEqual(asserted('restarting the service'));
    expect(asserted('Run npm ci --no-audit')).toContain('--no-audit');
  });

  it('contains numbers with what they count', () => {
    expect(polarityOf('Retry three times, wait 5s').numbers).toEqual([
      { value: '3', of: 'time' },
      { value: '5', of: 'second' },
    ]);
  });

  it('contains the same order for before, after and then', () => {
    for (const text of [
      'migrate before deploy',
      'deploy after migrate',
      'after migrate, deploy',
      'migrate, then deploy',
    ]) {
      expect([...polarityOf(text).order]).toContain('migrat>deploy');
    }
    expect([...polarityOf('before deploy, migrate').order]).toContain('migrat>deploy');
  });

  it('can be read from any text in any script', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const stance = polarityOf(text);
        for (const word of stance.asserted) expect(stance.words.has(word)).toBe(true);
      }),
    );
  });

  it('is read from the beginning of a text of a megabyte', () => {
    expect(polarityOf('word '.repeat(200_000)).numbers).toEqual([]);
    expect(polarityOf(`${'filler '.repeat(200_000)} last`).words.has('last')).toBe(false);
  });
});
