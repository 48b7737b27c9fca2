import { describe, expect, it } from '@jest/globals';
import { FOREIGN_FORMATS, type ForeignFormat, type Session } from '../../../test/support/foreign-sessions.js';
import { openHandsV0Importer } from '../trajectories/openhands-v0.importer.js';
import { claudeCodeImporter } from './claude-code.importer.js';
import type { ImportContext } from './importer.js';

const session = (id: string): Session => ({
  id,
  task: `Close the books of ${id}`,
  steps: [
    { tool: 'Bash', input: { command: `python close.py ${id}` }, error: 'SyntaxError: invalid syntax' },
    { tool: 'Bash', input: { command: 'python3 close.py' }, output: 'closed' },
  ],
  answer: 'Closed',
  end: 'normal',
});
const SESSIONS = ['session-1', 'session-2', 'session-3'].map(session);

/** Rows of an evaluation by OpenHands, each a run on an instance. */
const ROWS: ForeignFormat = {
  importer: openHandsV0Importer,
  lines: (one) => {
    const events = FOREIGN_FORMATS.find(({ importer }) => importer === openHandsV0Importer)?.lines(one) ?? [];
    return [JSON.stringify({ instance_id: one.id, history: JSON.parse(events.join('\n')) })];
  },
  ends: ['normal'],
  byLine: true,
};
const SEVERAL = /^(?:claude-code(?:-stream)?|runs|.*-hooks)$/;
const FORMATS = [ROWS, ...FOREIGN_FORMATS.filter(({ importer }) => SEVERAL.test(importer.format))];
const CONTEXT: ImportContext = { sessionHint: 'file', recordedAt: '2026-03-31T18:00:00.000Z' };

describe.each(FORMATS.map((format) => [format.importer.format, format] as const))(
  'a file of several sessions in the format %s',
  (name, { importer, lines }) => {
    const all = SESSIONS.flatMap((one) => lines(one));

    it('gives the executions that its sessions give alone', () => {
      const alone = SESSIONS.flatMap((one) => importer.derive(lines(one), CONTEXT).reports);
      expect(alone).toHaveLength(3);
      expect(importer.derive(all, CONTEXT).reports).toEqual(alone);
    });

    it('hands on each of them before the next but one is read', () => {
      let read = 0;
      const counted = {
        *[Symbol.iterator]() {
          for (const line of all) {
            read += 1;
            yield line;
          }
        },
      };
      const executions = importer.stream?.(counted, { ...CONTEXT, ahead: all });
      const perSession = all.length / SESSIONS.length;
      for (const [n] of SESSIONS.entries()) {
        expect(executions?.next().done).toBe(false);
        expect(read).toBeLessThanOrEqual(perSession * (n + 1) + 1);
      }
      expect(executions?.next()).toMatchObject({ done: true, value: { counts: { lines: all.length } } });
    });

    it('is judged session by session, and by no verdict on the file, its folder or the only transcript', () => {
      const outcomes = (text: string) =>
        importer
          .derive(all, {
            ...CONTEXT,
            taskIds: ['file', 'folder'],
            judgements: [{ name: 'report.json', text, isOfOne: true }],
          })
          .reports.map(({ verification }) => verification.outcome);
      const none = ['none', 'none', 'none'];
      for (const text of ['{"resolved":true}', '{"resolved_ids":["file"]}', '{"folder":{"resolved":false}}'])
        expect(outcomes(text)).toEqual(none);
      expect(outcomes('{"session-2":{"resolved":false}}')).toEqual(
        name.endsWith('-hooks') ? none : ['none', 'failed', 'none'],
      );
    });
  },
);

describe('a transcript of Claude Code', () => {
  const lines = (one: Session, more: object = {}): string[] =>
    (FOREIGN_FORMATS.find(({ importer }) => importer === claudeCodeImporter)?.lines(one) ?? []).map((line) =>
      JSON.stringify({ ...JSON.parse(line), ...more }),
    );

  it('whose sessions take turns gives the same executions, each at its last record', () => {
    const [a, b] = [lines(session('a')), lines(session('b'))];
    const mixed = a.flatMap((line, n) => [line, b[n] ?? '']);
    const sorted = ({ reports }: ReturnType<typeof claudeCodeImporter.derive>) =>
      reports.map(({ executionId }) => executionId).sort();
    expect(sorted(claudeCodeImporter.derive(mixed))).toEqual(sorted(claudeCodeImporter.derive([...a, ...b])));
  });

  it('names the session as the parent of a sub-agent whose records come first', () => {
    const inner = lines(session('inner'), { sessionId: 'a', isSidechain: true, agentId: 'helper' });
    const { reports } = claudeCodeImporter.derive([...inner, ...lines(session('a')), ...lines(session('b'))]);
    expect(reports.map(({ sessionId }) => sessionId)).toEqual(['a', 'a:helper', 'b']);
    expect(reports[1]?.parentExecutionId).toBe(reports[0]?.executionId);
  });
});
