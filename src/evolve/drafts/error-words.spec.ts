import { describe, expect, it } from '@jest/globals';
import { type ErrorInput, errorWords, orHasFailed, orHasJustFailed, orWhenItFailed } from './error-words.js';

const SYNTAX = 'SyntaxError: invalid syntax';
const said = (input: Partial<ErrorInput>) =>
  orHasFailed(errorWords({ errorClasses: ['SyntaxError'], template: SYNTAX, ...input }));
const when = (...errors: string[]) => ({ predicate: { when: errors.map((error) => ({ tool: 'shell', error })) } });

describe('the errors of a lesson in words', () => {
  it('are those that its figures count, up to three by name', () => {
    expect(said(when('SyntaxError'))).toBe(`, or it has just failed with "${SYNTAX}"`);
    const errorClasses = ['SyntaxError', 'ImportError', 'KeyError', 'TypeError', 'NameError'];
    const two = { errorClasses: errorClasses.slice(0, 2), ...when('SyntaxError', 'ImportError') };
    expect(said(two)).toBe(`, or it has just failed with "${SYNTAX}" or "ImportError"`);
    expect(said({ errorClasses, ...when(...errorClasses) })).toBe(
      `, or it has just failed with "${SYNTAX}", "ImportError", "KeyError" or another of 5 errors`,
    );
  });

  it('are said to be more if only one of them has a name', () => {
    const unclassed = { errorClasses: ['unknown'], template: 'seat is taken' };
    const counted = when('seat is taken', 'card is expired', 'card is expired', 'order is paid');
    expect(said({ ...unclassed, ...counted })).toBe(
      ', or it has just failed with "seat is taken" or another of 3 errors',
    );
    expect(said({ ...unclassed, template: 'you must approve', ...counted })).toBe(
      ', or it has just failed with one of 3 errors',
    );
  });

  it('name those of other families, also where the class of the first one says nothing', () => {
    const merged = { errorClasses: ['unknown', 'ImportError'], template: 'seat is taken' };
    expect(said({ ...merged, otherTemplates: ['card [id] is expired'], ...when('seat', 'Import', 'card') })).toBe(
      ', or it has just failed with "seat is taken" or "ImportError" or "card (id) is expired"',
    );
  });

  it('are examples if the figures count any failure', () => {
    const any = errorWords({
      errorClasses: ['SyntaxError', 'ImportError'],
      template: SYNTAX,
      predicate: { when: { tool: 'shell', action: 'python', ok: false } },
    });
    expect(orHasFailed(any)).toBe(`, or it has just failed, for example with "${SYNTAX}" or "ImportError"`);
    expect(orWhenItFailed(any)).toBe(`, or when it has just failed, for example with "${SYNTAX}" or "ImportError"`);
  });

  it('are left out where none can be named', () => {
    const none = errorWords({ errorClasses: ['unknown'], template: '', ...when('seat') });
    expect([orHasFailed(none), orWhenItFailed(none), orHasJustFailed(none)]).toEqual([
      ', or it has just failed',
      ', or when it has just failed',
      '',
    ]);
  });
});
