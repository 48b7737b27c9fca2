import { describe, expect, it } from '@jest/globals';
import { SECRET_FORMS } from '../../../test/support/secret-forms.js';
import { redact } from './redact.js';

const remains = (text: string, gone: readonly string[]): boolean => gone.some((secret) => text.includes(secret));

describe('every form in which a secret is written', () => {
  it.each(SECRET_FORMS.map((form) => [form.name, form] as const))('%s is removed', (_, { text, gone }) => {
    const { text: redacted, redactions } = redact(text);
    expect(remains(redacted, gone)).toBe(false);
    expect(redactions.length).toBeGreaterThan(0);
    expect(redact(redacted)).toEqual({ text: redacted, redactions: [] });
  });

  it('is removed inside a longer text, which stays', () => {
    // The first word of a line can look like the rest of a value that ends with "=".
    const [before, after] = ['The nightly job of the ledger stopped here.\n', ' was started again by hand.'];
    const failed = SECRET_FORMS.filter(({ text, gone }) => {
      const redacted = redact(`${before}${text}\nIt${after}`).text;
      return remains(redacted, gone) || !redacted.startsWith(before) || !redacted.endsWith(after);
    });
    expect(failed.map(({ name }) => name)).toEqual([]);
  });

  it('is removed inside JSON inside JSON', () => {
    const failed = SECRET_FORMS.filter(({ text, gone }) =>
      remains(redact(JSON.stringify({ output: JSON.stringify({ text }) })).text, gone),
    );
    expect(failed.map(({ name }) => name)).toEqual([]);
  });

  it('has a name of its own', () => {
    expect(new Set(SECRET_FORMS.map(({ name }) => name)).size).toBe(SECRET_FORMS.length);
  });
});
