import { describe, expect, it } from '@jest/globals';
import { FOREIGN_FORMATS, type Session } from '../../../test/support/foreign-sessions.js';
import { stated } from './json-fields.js';

const SESSION: Session = {
  id: 'session-1',
  task: 'Close the books',
  steps: [],
  answer: 'Closed',
  end: 'normal',
};
/** Blanks that are seen, and characters that are not: zero-width space, Hangul filler, Braille blank. */
const BLANKS = ['', ' \t\n', '\u200b', '\u3164 \u2800'];

it('a text of blanks says nothing', () => {
  for (const blank of BLANKS) expect(stated(blank)).toBeUndefined();
  expect(stated(' a ')).toBe(' a ');
});

describe.each(
  // that of SWE-agent stands among words of its harness
  FOREIGN_FORMATS.filter(
    ({ importer, isWithoutTask }) => isWithoutTask !== true && importer.format !== 'swe-agent',
  ).map((one) => [one.importer.format, one] as const),
)('a session of %s', (_name, { importer, lines, context }) => {
  const taskOf = (id: string, task: string) => {
    const steps = [{ tool: 'Bash', input: { command: `ls ${id}` }, output: 'a.txt' }];
    const session = { ...SESSION, id, task, steps };
    return importer.derive(lines(session), context?.(session)).reports[0]?.taskId;
  };

  it('whose prompt is blank is a separate task', () => {
    for (const blank of BLANKS) {
      const [one, other] = [taskOf('session-1', blank), taskOf('session-2', blank)];
      expect(one).toMatch(/^task-/);
      expect(other).toMatch(/^task-/);
      expect(one).not.toBe(other);
    }
  });
});

it('a record with a blank id is of the session that its file names', () => {
  const claude = FOREIGN_FORMATS.find(({ importer }) => importer.format === 'claude-code');
  const named = (claude?.lines(SESSION) ?? []).map((line) =>
    line.replace('"sessionId":"session-1"', '"sessionId":" "'),
  );
  expect(claude?.importer.derive(named, { sessionHint: 'a-file' }).reports[0]?.sessionId).toBe('a-file');
});
