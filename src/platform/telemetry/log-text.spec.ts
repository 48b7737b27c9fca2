import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { escapeRecord, indentText } from './server-logger.js';

const CLEAR_SCREEN = '\u001b[2J';
const C1_CONTROL = '\u009b2J';
const REVERSED = '\u202eevil';

describe('text in a log', () => {
  it('cannot begin a line that looks like a record', () => {
    expect(indentText('first\n{"level":"log"}\r\nthird')).toBe('first\n    {"level":"log"}\n    third');
  });

  it.each([CLEAR_SCREEN, C1_CONTROL, REVERSED, 'a\rb'])('holds no control of a terminal: %j', (text) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what must not be there.
    expect(indentText(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  });

  it('means the same in a record of JSON, which is one line without controls', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (message) => {
        const record = escapeRecord(JSON.stringify({ message }));
        expect(JSON.parse(record)).toEqual({ message });
        // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what must not be there.
        expect(record).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
      }),
    );
  });
});
