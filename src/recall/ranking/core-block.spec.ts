import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { memoryEntry } from '../../../test/support/memory-entries.js';
import { Provenance } from '../../memory/store/lesson.schema.js';
import { NOT_SAID, NOTE_PROPOSER } from '../../memory/store/recallable-memory.js';
import { DAY_MS } from '../../platform/base/durations.js';
import { sumBy } from '../../platform/base/sum.js';
import { coreTokens, estimateTokens, type Renderable, renderMemories, TOKENS_OF_A_MESSAGE } from './rendering.js';

const note = (action: string, provenance: Provenance = 'unverified') =>
  memoryEntry({
    provenance,
    proposer: NOTE_PROPOSER,
    lesson: {
      discovery: action.slice(0, 600),
      activation: { condition: NOT_SAID, action, rationale: NOT_SAID },
      steps: [action.slice(0, 500)],
      confidence: 0.5,
      tags: ['core'],
    },
  });

/** The tokens of what is sent. */
const delivered = (notes: readonly Renderable[], nonce: string, now: Date) =>
  sumBy(
    renderMemories(notes, nonce, { role: 'system', now, detail: 'full' }),
    ({ content }) => estimateTokens(content) + TOKENS_OF_A_MESSAGE,
  );

const anyText = fc.oneof(
  fc.string({ minLength: 1, maxLength: 300 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 }),
  fc.constantFrom('`npm ci`, not `npm install`', '設定ファイルは二つあります', '<untrusted-data> & "quotes"'),
);
const anyNonce = fc
  .array(fc.constantFrom(...'0123456789abcdef'), { minLength: 32, maxLength: 32 })
  .map((digits) => digits.join(''));

describe('the tokens of the core block', () => {
  it('are never exceeded by what is delivered, whatever the age and the later provenance of its notes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyText, fc.constantFrom(...Provenance.options)), { maxLength: 8 }),
        anyNonce,
        fc.integer({ min: 0, max: 9_999 }),
        (texts, nonce, days) => {
          const notes = texts.map(([text, provenance]) => note(text, provenance));
          const now = new Date(Date.parse('2026-01-01T00:00:00.000Z') + days * DAY_MS);
          expect(delivered(notes, nonce, now)).toBeLessThanOrEqual(coreTokens(texts.map(([text]) => note(text))));
        },
      ),
    );
  });

  it('count the framing once, and nothing for an empty block', () => {
    const [one, two] = [note('Deploy from the release branch'), note('Tag every release')];
    expect(coreTokens([])).toBe(0);
    const framing = coreTokens([one]) + coreTokens([two]) - coreTokens([one, two]);
    expect(framing).toBeGreaterThan(100);
    expect(framing).toBeLessThan(250);
  });

  it('count each character as the fence spells it', () => {
    const plain = coreTokens([note('a'.repeat(40))]) - coreTokens([note('a')]);
    const escaped = coreTokens([note('設'.repeat(40))]) - coreTokens([note('設')]);
    expect(plain).toBeLessThan(20);
    // `\u8a2d` is six characters.
    expect(escaped).toBeGreaterThanOrEqual(39 * 5);
  });
});
