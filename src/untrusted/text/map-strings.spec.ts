import { describe, expect, it } from '@jest/globals';
import { mapStrings } from './map-strings.js';

const same = (text: string): string => text;

describe('mapStrings', () => {
  it('changes every string at any depth, and nothing else', () => {
    const value = { a: 'x', b: ['x', { c: 'x', x: null }], d: 1, e: true, f: undefined };
    expect(mapStrings(value, (text) => `${text}!`)).toEqual({
      a: 'x!',
      b: ['x!', { c: 'x!', x: null }],
      d: 1,
      e: true,
      f: undefined,
    });
  });

  it.each(['__proto__', 'constructor', 'prototype'])('rejects the key "%s"', (key) => {
    expect(() => mapStrings(JSON.parse(`{"a":[{"${key}":{"x":1}}]}`), same)).toThrow(TypeError);
  });

  it('rejects a value that is not JSON instead of emptying it', () => {
    for (const value of [new Date(0), new Map([['a', 'b']]), () => 'x', Symbol('x')]) {
      expect(() => mapStrings({ value }, same)).toThrow(TypeError);
    }
  });

  it('rejects a value that is nested too deep', () => {
    const nest = (levels: number): unknown => (levels === 0 ? 'x' : [nest(levels - 1)]);
    expect(mapStrings(nest(32), same)).toEqual(nest(32));
    expect(() => mapStrings(nest(33), same)).toThrow(TypeError);
  });
});
