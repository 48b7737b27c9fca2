import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_QUERY_WORDS, queryTerms, termsOf } from './terms.js';

describe('the terms of a text', () => {
  it.each([
    ['endings come off', 'failing deployments failed', ['fail', 'deploi', 'fail']],
    ['words that say nothing go', "what is the cause, and why don't they", ['caus']],
    ['a compound name is found whole and by its parts', 'readFileSync', ['readfilesync', 'read', 'file', 'sync']],
    ['so is one with underscores', 'max_pending_items', ['maxpendingitem', 'max', 'pend', 'item']],
    ['a number stays with its word', 'python3 v2 HTTPServer', ['python3', 'v2', 'httpserver', 'http', 'server']],
    ['compatibility forms are the ordinary ones', 'ｄｅｐｌｏｙ ①', ['deploi', '1']],
    ['a possessive is its word', "the agent's build", ['agent', 'build']],
    ['Chinese is cut into words', '部署失败', ['部署', '失败']],
    ['so is Thai', 'การเรียนรู้', ['การ', 'เรียน', 'รู้']],
    ['other scripts keep their words', 'Сборка ПАДАЕТ größe', ['сборка', 'падает', 'größe']],
  ])('%s', (_, text, terms) => {
    expect(termsOf(text)).toEqual(terms);
  });

  it('are the same in every context of a word', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('deploy', '部署失败', 'größe', 'HTTPServer', 'x_y'), { maxLength: 6 }),
        (words) => {
          expect(termsOf(words.join(' '))).toEqual(words.flatMap((word) => termsOf(word)));
        },
      ),
    );
  });

  it('are those of a text with letters of other alphabets, in a text that is ASCII alone', () => {
    const ascii = fc.string({ unit: 'binary-ascii', maxLength: 60 });
    const words = fc.array(
      fc.constantFrom("server's", 'HTTPServer_name2', "o'clock", 'the', 'x86_64', "it's9", '-', ' '),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          ascii,
          words.map((all) => all.join(' ')),
        ),
        (text) => {
          expect([...termsOf(text), 'é']).toEqual(termsOf(`${text} é`));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('never throws, and no term exceeds its limit', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        for (const term of termsOf(text)) {
          expect(term.length).toBeGreaterThan(0);
          expect(term.length).toBeLessThanOrEqual(48);
        }
      }),
    );
  });
});

describe('the terms of a query', () => {
  it('are counted, and at most fifty are searched', () => {
    expect([...queryTerms('deploy the deploy fails')]).toEqual([
      ['deploi', 2],
      ['fail', 1],
    ]);
    const many = Array.from({ length: 500 }, (_, n) => `word${n}`).join(' ');
    expect(queryTerms(many).size).toBe(MAX_QUERY_WORDS);
    expect([...queryTerms(`${' '.repeat(1_995)}heron egret`).keys()]).toEqual(['heron']);
  });
});
