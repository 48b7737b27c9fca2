import { describe, expect, it } from '@jest/globals';
import { dangersInArguments } from './argument-keys.js';

const classes = (value: unknown): string[] => dangersInArguments('fetch', value).map((danger) => danger.class);

describe('dangers in the arguments of a tool', () => {
  it.each([
    ['protection', { verify: false }],
    ['protection', { insecure: true }],
    ['protection', { options: { tls: [{ rejectUnauthorized: 'false' }] } }],
    ['protection', { dangerouslyDisableSandbox: true }],
    ['protection', { validate_certs: 'no' }],
    ['protection', { 'skip-tls-verify': 1 }],
    ['protection', { insecure: '[text]' }],
    ['check', { skip_tests: true }],
    ['source', { indexUrl: 'https://example.com' }],
  ])('finds %s in %j', (kind, value) => {
    expect(classes(value)).toEqual([kind]);
  });

  it.each([
    { verify: true },
    { insecure: false },
    { registry: '' },
    { force: true },
    { path: 'verify' },
    ['insecure'],
    'x',
    null,
  ])('finds nothing in %j', (value) => {
    expect(classes(value)).toEqual([]);
  });

  it('stops in a value without an end', () => {
    let deep: unknown = { verify: false };
    for (let n = 0; n < 10_000; n += 1) deep = { deep };
    expect(classes(deep)).toEqual([]);
  });
});
