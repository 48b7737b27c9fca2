import { describe, expect, it } from '@jest/globals';
import { mapStrings } from './map-strings.js';

const same = (text: string): string => text;

describe('mapStrings', () => {
  it('every string changes, however deep, and nothing else', () => {
    const value = { a: 'x', b: ['x', { c: 'x', x: null }], d: 1, e: true, f: undefined };
    expect(mapStrings(value, (text) => `${text}!`)).toEqual({
      a: 'x!',
      b: ['x!', { c: 'x!', x: null }],
      d: 1,
      e: true,
      f: undefined,
    });
  });

  it.each(['__proto__', 'constructor', 'prototype'])('the key "%s" is refused', (key) => {
    expect(() => mapStrings(JSON.parse(`{"a":[{"${key}":{"x":1}}]}`), same)).toThrow(TypeError);
  });

  it('what is not JSON is refused rather than emptied', () => {
    for (const value of [new Date(0), new Map([['a', 'b']]), () => 'x', Symbol('x')]) {
      expect(() => mapStrings({ value }, same)).toThrow(TypeError);
    }
  });

  it('a value that is nested too deep is refused', () => {
    const nest = (levels: number): unknown => (levels === 0 ? 'x' : [nest(levels - 1)]);
    expect(mapStrings(nest(32), same)).toEqual(nest(32));
    expect(() => mapStrings(nest(33), same)).toThrow(TypeError);
  });
});
