import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { redactDeep, redactMadeFrom } from './redact-deep.js';

const SECRET = 'q7Zt2LmX9aBv4Kc1RfY8wDh6NsJ3uEpG';

describe('redactDeep', () => {
  it('redacts every string of a report at any depth and keeps everything else', () => {
    const report = {
      title: `use password=${SECRET}`,
      calls: [{ action: `curl -H "Authorization: Bearer ${SECRET}"`, ok: false, ms: 12 }, null],
      tags: ['ci', `token=${SECRET}`],
      quality: undefined,
    };
    const { value, redactions } = redactDeep(report);
    expect(value).toEqual({
      title: 'use password=[REDACTED:password]',
      calls: [{ action: 'curl -H "Authorization: Bearer [REDACTED:authorization-header]"', ok: false, ms: 12 }, null],
      tags: ['ci', 'token=[REDACTED:named-value]'],
      quality: undefined,
    });
    expect(redactions).toEqual([
      { rule: 'authorization-header', count: 1 },
      { rule: 'named-value', count: 1 },
      { rule: 'password', count: 1 },
    ]);
  });

  it('does not change its argument', () => {
    const report = { title: `password=${SECRET}` };
    redactDeep(report);
    expect(report.title).toContain(SECRET);
  });

  it('keeps the shape and finds nothing the second time, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (json) => {
        const value: unknown = JSON.parse(JSON.stringify(json));
        if (/"(?:__proto__|constructor|prototype)":/.test(JSON.stringify(json))) return;
        const once = redactDeep(value).value;
        expect(redactDeep(once)).toEqual({ value: once, redactions: [] });
        expect(JSON.stringify(once).replace(/"(?:[^"\\]|\\.)*"/g, '""')).toBe(
          JSON.stringify(value).replace(/"(?:[^"\\]|\\.)*"/g, '""'),
        );
      }),
    );
  });
});

describe('redactMadeFrom', () => {
  it('redacts the texts that its source lacks, such as a clipped one', () => {
    const { value } = redactDeep({ text: `password=${SECRET}`, tag: 'ci' });
    expect(redactMadeFrom(value, { text: value.text, clipped: `token=${SECRET}`, tags: [value.tag] })).toEqual({
      text: 'password=[REDACTED:password]',
      clipped: 'token=[REDACTED:named-value]',
      tags: ['ci'],
    });
  });

  it('returns what redactDeep returns, for any texts and parts of them', () => {
    const part = fc.oneof(fc.string(), fc.constantFrom(`password=${SECRET}`, SECRET, 'AKIA'));
    fc.assert(
      fc.property(fc.array(part), fc.array(part), fc.nat(40), (texts, others, length) => {
        const { value } = redactDeep(texts);
        const made = [...value, ...value.map((text) => text.slice(0, length)), ...others];
        expect(redactMadeFrom(value, made)).toEqual(redactDeep(made).value);
      }),
    );
  });
});
