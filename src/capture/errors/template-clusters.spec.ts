import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { clusterTemplates } from './template-clusters.js';

function groups(...templates: string[]): string[][] {
  const leaderOf = clusterTemplates(templates.map((template, at) => ({ template, weight: templates.length - at })));
  const members = new Map<string, string[]>();
  for (const [template, leader] of leaderOf) members.set(leader, [...(members.get(leader) ?? []), template]);
  return [...members.values()];
}

describe('templates of one message', () => {
  it.each([
    [
      'Invalid value for field [name]',
      'Invalid value for field [name]: True',
      'Invalid value for field [name]: [n]. Expected [n]',
    ],
    ['ledger of ada is locked by another run', 'ledger of bob is locked by another run'],
    ['Cannot read the invoice. It is empty', 'Cannot read the invoice. It is [n] bytes long'],
  ])('may differ in values and in the text after the opening: %s', (...templates) => {
    expect(groups(...templates)).toHaveLength(1);
  });

  it.each([
    ['Wrong number of functions', 'Wrong number of functions provided'],
    ['ledger is locked by another run', 'invoice is locked by another run'],
    ['No [name]', 'No [name] here'],
    ['KeyError: [name]', 'KeyError: [n]'],
  ])('do not include those of another message: %s | %s', (...templates) => {
    expect(groups(...templates)).toHaveLength(2);
  });

  it('form the same clusters in any order, and every template is in one', () => {
    const word = fc.constantFrom('ledger', 'of', '[name]', 'is', 'locked', 'by', '[n]', 'run', 'file');
    const template = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(template, fc.nat(3)), { selector: ([text]) => text }), (items) => {
        const weighted = items.map(([text, weight]) => ({ template: text, weight }));
        const forward = clusterTemplates(weighted);
        const backward = clusterTemplates([...weighted].reverse());
        expect(new Map([...backward].sort())).toEqual(new Map([...forward].sort()));
        expect(forward.size).toBe(items.length);
      }),
    );
  });

  it('are clustered for thousands of hostile templates without a comparison of all pairs', () => {
    const many = Array.from({ length: 20_000 }, (_, n) => ({ template: `same head ${n} ${n * 7} tail`, weight: 1 }));
    expect(clusterTemplates(many).size).toBe(20_000);
  });
});
