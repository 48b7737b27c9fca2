import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { GITLEAKS_RULES, GITLEAKS_VERSION } from './gitleaks-rules.js';
import { SECRET_RULES, SELF_IDENTIFYING_COUNT } from './secret-spans.js';

describe('the rule set of gitleaks', () => {
  it('is complete, with its version and licence', () => {
    expect(GITLEAKS_RULES.length).toBeGreaterThan(200);
    expect(GITLEAKS_VERSION).toMatch(/^gitleaks.*\d/);
    expect(readFileSync(new URL('./gitleaks/LICENSE', import.meta.url), 'utf8')).toContain(
      'Copyright (c) 2021 Zachary Rice',
    );
    for (const rule of GITLEAKS_RULES) expect(SECRET_RULES).toContain(rule);
  });

  it('every pattern and every allowlist entry compiles on the linear-time engine', () => {
    for (const { pattern, accepts } of GITLEAKS_RULES) {
      expect(pattern).not.toBeInstanceOf(RegExp);
      expect(() =>
        accepts?.('q7Zt2LmX9aBv4Kc1RfY8wDh6NsJ3uEpG', 'key = "q7Zt2LmX9aBv4Kc1RfY8wDh6NsJ3uEpG"'),
      ).not.toThrow();
      expect(pattern.test('')).toBe(false);
    }
  });

  it('every rule of both sets has an id for the marker and a keyword that triggers it', () => {
    for (const { id, keywords } of SECRET_RULES) {
      expect(id).toMatch(/^[a-z0-9-]{1,64}$/);
      expect(keywords.length).toBeGreaterThan(0);
      for (const keyword of keywords) expect(keyword).toMatch(/^[!-~ \n]+$/);
      for (const keyword of keywords) expect(keyword).toBe(keyword.toLowerCase());
    }
  });

  it('only rules that recognise a secret by its own form scan joined lines', () => {
    expect(SECRET_RULES[SELF_IDENTIFYING_COUNT - 1]?.id).not.toMatch(/value|password/);
    expect(SECRET_RULES.slice(SELF_IDENTIFYING_COUNT).map(({ id }) => id)).toEqual(
      expect.arrayContaining(['named-value', 'quoted-value', 'password', 'generic-api-key', 'adafruit-api-key']),
    );
  });
});
