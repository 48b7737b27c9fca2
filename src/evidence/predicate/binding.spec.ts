import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bindingInWords, factsBeside, predicateHash, readBinding, wideningInWords, wideningOf } from './binding.js';
import type { Binding } from './check.schema.js';

const BOUND = { harness: 'some-harness', project: 'shop', environment: [{ name: 'python', value: '2.7.18' }] };

describe('the binding of a lesson', () => {
  it('is one sentence, and nothing where the lesson holds everywhere', () => {
    expect(bindingInWords(BOUND)).toBe(
      'Seen only in some-harness, in the project shop, with python 2.7.18: check before relying on it elsewhere.',
    );
    expect(bindingInWords({ project: 'shop' })).toBe(
      'Seen only in the project shop: check before relying on it elsewhere.',
    );
    for (const none of [undefined, {}, { environment: [] }]) expect(bindingInWords(none)).toBe('');
  });

  it.each<[string, Binding]>([
    ['all parts', BOUND],
    ['a harness', { harness: 'some-harness' }],
    ['a project', { project: 'shop' }],
    ['two facts', { environment: [...BOUND.environment, { name: 'operating system', value: 'linux' }] }],
    ['names with commas', { harness: 'a, in the project b', project: 'c, with d 1' }],
  ])('is read back from its sentence: %s', (_what, binding) => {
    expect(readBinding(bindingInWords(binding), binding)).toEqual(binding);
  });

  it('is read from a sentence that a person changed', () => {
    expect(
      readBinding('Seen only in some-harness, with python 3: check before relying on it elsewhere.', BOUND),
    ).toEqual({
      harness: 'some-harness',
      environment: [{ name: 'python', value: '3' }],
    });
    expect(readBinding('Seen only in the project depot.', BOUND)).toEqual({ project: 'depot' });
    for (const other of ['Seen only on Mondays.', 'Holds everywhere.', '']) expect(readBinding(other)).toBeUndefined();
  });

  it('never takes long or odd sentences for more than they say', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), (text) => {
        const read = readBinding(`Seen only ${text}`, BOUND);
        expect(read === undefined || typeof read === 'object').toBe(true);
      }),
    );
    const long = `Seen only with ${'a b and '.repeat(20_000)}`;
    expect(readBinding(long)?.environment?.length).toBe(20_000);
  });

  it('says what the environment line then leaves out', () => {
    const facts = [
      { name: 'harness', value: 'some-harness' },
      { name: 'operating system', value: 'linux' },
      { name: 'python', value: '2.7.18' },
    ];
    expect(factsBeside(facts, BOUND)).toEqual([{ name: 'operating system', value: 'linux' }]);
    expect(factsBeside(facts)).toEqual(facts);
  });

  it('is widened by a limit that is dropped or changed, and not by one that is added', () => {
    expect(wideningOf(BOUND, BOUND)).toEqual([]);
    expect(wideningOf({}, BOUND)).toEqual([]);
    expect(wideningOf(BOUND, undefined).map(wideningInWords)).toEqual([
      'widens: was bound to the harness some-harness',
      'widens: was bound to the project shop',
      'widens: was bound to python 2.7.18',
    ]);
    const other = { ...BOUND, harness: 'other', environment: [{ name: 'python', value: '3.12' }] };
    expect(wideningOf(BOUND, other).map(wideningInWords)).toEqual([
      'widens: was bound to the harness some-harness, now to other',
      'widens: was bound to python 2.7.18, now to python 3.12',
    ]);
  });

  it('has one hash together with the predicate, whatever the order of their keys', () => {
    const hash = predicateHash({ when: { tool: 'shell', args: 'x' } }, BOUND);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(predicateHash({ when: { args: 'x', tool: 'shell' } }, { ...BOUND })).toBe(hash);
    expect(predicateHash({ when: { tool: 'shell', args: 'y' } }, BOUND)).not.toBe(hash);
    expect(predicateHash({ when: { tool: 'shell', args: 'x' } }, { harness: 'some-harness' })).not.toBe(hash);
    expect(predicateHash(undefined, undefined)).toBeUndefined();
  });
});
