import { describe, expect, it } from '@jest/globals';
import { prototypeKeyIn } from './web-server.js';

const found = (text: string) => prototypeKeyIn(text, JSON.parse(text));

describe('the keys of prototypes', () => {
  it.each(['__proto__', 'constructor', 'prototype'])('are found at any depth: %s', (key) => {
    expect(found(`{"${key}":1}`)).toBe(key);
    expect(found(`[null,{"a":[0,{"${key}":null}]},null]`)).toBe(key);
    expect(found(`{"a":{"\\u00${key.charCodeAt(0).toString(16)}${key.slice(1)}":1}}`)).toBe(key);
  });

  it.each([
    '{"a":"constructor","b":["prototype","__proto__"]}',
    '{"constructors":1,"toString":2}',
    'null',
    '"constructor"',
  ])('are no others: %s', (text) => {
    expect(found(text)).toBeUndefined();
  });
});
