import { describe, expect, it } from '@jest/globals';
import { SECRET_FORMS } from '../../../test/support/secret-forms.js';
import { errorFields, normalisedAction } from './foreign-call.js';

/** Shorter strings, such as a PIN, may be another part of the same text. */
const SEARCHABLE = 9;
const forms = SECRET_FORMS.map(({ gone, ...form }) => ({
  ...form,
  gone: gone.filter(({ length }) => length >= SEARCHABLE),
})).filter(({ gone }) => gone.length > 0);

describe('a foreign tool call', () => {
  it('keeps no secret of its command, although the normalised form lacks the quotes and lines around it', () => {
    expect(forms.length).toBeGreaterThan(150);
    const kept = forms.filter(({ text, gone }) => {
      const action = normalisedAction('Bash', { command: text });
      return gone.some((secret) => action.includes(secret));
    });
    expect(kept.map(({ name }) => name)).toEqual([]);
  });

  it('keeps no secret of its error text', () => {
    const kept = forms.filter(({ text, gone }) => {
      const { errorMessage = '' } = errorFields('Bash', text);
      return gone.some((secret) => errorMessage.includes(secret));
    });
    expect(kept.map(({ name }) => name)).toEqual([]);
  });
});
