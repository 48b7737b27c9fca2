import { describe, expect, it } from '@jest/globals';
import { bindingOf } from './binding.js';

const LESSON = { action: 'python3', taught: ['python3'], avoided: ['python'] };

const casesIn = (places: readonly { readonly harness?: string; readonly project?: string }[]) =>
  places.map((environment, n) => ({
    executionId: `execution ${n}`,
    environment,
    failed: { tool: 'shell', call: 'python close.py' },
  }));

const shop = { harness: 'harness-a', project: 'shop' };

describe('the binding of a lesson', () => {
  it('is the one harness and project in which it worked', () => {
    expect(bindingOf(LESSON, casesIn([shop, shop, shop]))).toEqual(shop);
  });

  it('holds while a single execution elsewhere confirms it', () => {
    expect(bindingOf(LESSON, casesIn([shop, shop, { harness: 'harness-b', project: 'till' }]))).toEqual(shop);
  });

  it('falls once two executions elsewhere confirm it, also in two different projects', () => {
    const elsewhere = ['till', 'books'].map((project) => ({ harness: 'harness-b', project }));
    expect(bindingOf(LESSON, casesIn([shop, shop, ...elsewhere]))).toEqual({});
    const projects = ['shop', 'till', 'books'].map((project) => ({ harness: 'harness-a', project }));
    expect(bindingOf(LESSON, casesIn(projects))).toEqual({ harness: 'harness-a' });
  });

  it('neither widens nor falls by executions that do not name their place', () => {
    expect(bindingOf(LESSON, casesIn([shop, {}, {}, {}]))).toEqual(shop);
    expect(bindingOf(LESSON, casesIn([shop, {}, {}, { harness: 'harness-b', project: 'till' }]))).toEqual(shop);
  });

  it('is nothing where no execution names its place', () => {
    expect(bindingOf(LESSON, casesIn([{}, {}]))).toEqual({});
  });

  it('has the versions of programs that the lesson names, and no others', () => {
    const interpreters = [
      { name: 'python', version: '2.7.18' },
      { name: 'node', version: '22.1.0' },
    ];
    const cases = casesIn([{}, {}, {}]).map((one) => ({ ...one, environment: { interpreters } }));
    expect(bindingOf(LESSON, cases)).toEqual({ environment: [{ name: 'python', value: '2.7.18' }] });
  });

  it('has no version of a program that few of the failed calls run', () => {
    const interpreters = [{ name: 'pytest', version: '8.3.5' }];
    const bindingIn = (calls: readonly string[]) =>
      bindingOf(
        { action: 'without cd', taught: [], avoided: ['cd'] },
        casesIn(calls.map(() => ({}))).map((one, at) => ({
          ...one,
          environment: { interpreters },
          failed: { tool: 'shell', call: calls[at] ?? '' },
        })),
      );
    expect(bindingIn(['cd shop && pytest', 'cd shop && ls', 'cd shop && make'])).toEqual({});
    expect(bindingIn(['cd shop && pytest', 'cd shop && pytest -x', 'cd shop && make'])).toEqual({
      environment: [{ name: 'pytest', value: '8.3.5' }],
    });
  });

  it('has a version that only some executions asked for, if they agree on it', () => {
    const bindingIn = (versions: readonly (string | undefined)[]) =>
      bindingOf(
        LESSON,
        casesIn(versions.map(() => ({}))).map((one, at) => {
          const version = versions[at];
          return { ...one, environment: version === undefined ? {} : { interpreters: [{ name: 'python', version }] } };
        }),
      );
    const [unknown, old, other] = [undefined, '2.7.18', '3.9.1'];
    expect(bindingIn([old, old, old, unknown, unknown, unknown])).toEqual({
      environment: [{ name: 'python', value: old }],
    });
    expect(bindingIn([old, old, old, other, other, unknown])).toEqual({});
    expect(bindingIn([old, old, unknown, unknown, unknown])).toEqual({});
    expect(bindingIn([old, old, old, ...Array.from({ length: 10 }, () => unknown)])).toEqual({});
  });
});
