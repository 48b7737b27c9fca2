import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { polarityOf } from './claim-polarity.js';

const asserted = (text: string): string[] => [...polarityOf(text).asserted].sort();
const refused = (text: string): string[] => polarityOf(text).negated.map((scope) => scope.join(' '));

describe('what a text asks for and rules out', () => {
  it('a negation covers its clause and no more', () => {
    expect(refused('Do not restart the service; check the logs')).toEqual(['restart service']);
    expect(asserted('Do not restart the service; check the logs')).toEqual(['check', 'log']);
  });

  it('finds negation in contractions, in "instead of" and inside Chinese words', () => {
    expect(refused("Don't restart it")).toEqual(['restart']);
    expect(refused('Use python3 instead of python')).toEqual(['python']);
    expect(refused('不要重启')).toHaveLength(1);
  });

  it('a Japanese or Korean clause is negated from its end', () => {
    expect(asserted('再起動しないでください')).toEqual([]);
    expect(asserted('재시작하지 마세요')).toEqual([]);
  });

  it('a second negation cancels the first', () => {
    expect(refused('Never deploy without a backup')).toEqual([]);
    expect(asserted('Never deploy without a backup')).toEqual(['backup', 'deploy']);
  });

  it('endings and synonyms do not matter, flags stay whole', () => {
    expect(asserted('Rebooted servers')).toEqual(asserted('restarting the service'));
    expect(asserted('Run npm ci --no-audit')).toContain('--no-audit');
  });

  it('reads numbers with what they count', () => {
    expect(polarityOf('Retry three times, wait 5s').numbers).toEqual([
      { value: '3', of: 'time' },
      { value: '5', of: 'second' },
    ]);
  });

  it('reads the same order from before, after and then', () => {
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

  it('takes any text of any script', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const stance = polarityOf(text);
        for (const word of stance.asserted) expect(stance.words.has(word)).toBe(true);
      }),
    );
  });

  it('cuts a text of a megabyte instead of reading it', () => {
    expect(polarityOf('word '.repeat(200_000)).numbers).toEqual([]);
    expect(polarityOf(`${'filler '.repeat(200_000)} last`).words.has('last')).toBe(false);
  });
});
