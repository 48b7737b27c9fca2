import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  FOREIGN_FORMATS,
  type ForeignFormat,
  type Session,
  type Step,
} from '../../../test/support/foreign-sessions.js';
import { casesOf } from '../../learning/recoveries/case.js';
import { learningCalls } from '../observations/learning-calls.js';
import { parsedCalls } from '../observations/observation.js';
import { ExecutionReport } from '../report/execution-report.schema.js';
import { sanitiseReport } from '../report/sanitised-report.js';
import { outcomeForSkills } from '../report/skill-use.js';

/** Spans and rows have no order in the file. */
const NO_ORDER = /^(?:otel|runs)$/;
const FAILED: Step = {
  tool: 'Bash',
  input: { command: 'python close.py' },
  error:
    'Traceback (most recent call last):\n  File "close.py", line 3, in <module>\nModuleNotFoundError: No module named ledger',
};
const SUCCEEDED: Step = {
  tool: 'Bash',
  input: { command: 'python3 close.py' },
  output: 'the ledger holds 4711 entries',
};
const TASK = 'Close the books of March, dear agent';
const SESSION: Session = {
  id: 'session-1',
  task: TASK,
  steps: [FAILED, SUCCEEDED],
  answer: 'The books are closed and balanced',
  end: 'normal',
};

/** The conformance suite that every importer passes. */
describe.each(FOREIGN_FORMATS.map((format) => [format.importer.format, format] as const))(
  'the importer of %s',
  (_name, format) => {
    const derive = (change: Partial<Session> = {}) => derived(format, { ...SESSION, ...change });
    const only = (change: Partial<Session> = {}) => {
      const { reports } = derive(change);
      expect(reports).toHaveLength(1);
      return ExecutionReport.parse(reports[0]);
    };

    it('makes one report of a session, with its calls in order and the errors of failed calls', () => {
      const report = only();
      expect(report.toolCalls).toMatchObject([
        { action: 'python close.py', ok: false, errorCategory: 'ModuleNotFoundError' },
        { action: 'python3 close.py', ok: true },
      ]);
      expect(report.toolCalls[0]?.errorMessage).toContain('No module named ledger');
      expect(report.toolCalls[1]).not.toHaveProperty('errorMessage');
      expect(Date.parse(report.finishedAt)).toBeGreaterThanOrEqual(Date.parse(report.startedAt));
      expect(sanitiseReport(report)).toMatchObject({ usable: true });
    });

    it('reports a normal end as completed, without an outcome', () => {
      const report = only();
      expect(report).toMatchObject({
        status: 'completed',
        terminationReason: 'ended',
        verification: { outcome: 'none' },
      });
      expect(report).not.toHaveProperty('qualityScore');
      expect(outcomeForSkills(report)).toBe('unknown');
    });

    it.each(format.ends.filter((end) => end !== 'normal'))(
      'does not report a session as completed that ended by %s',
      (end) => {
        const report = only({ end });
        expect(report.status).toBe(end === 'api-error' ? 'failed' : 'aborted');
        expect(report.verification).toEqual({ outcome: 'none' });
        if (end === 'api-error') expect(JSON.stringify(report)).toContain('529');
      },
    );

    it('takes the outcome from a file beside it that names its session, its file or its folder, and from no other', () => {
      const lines = format.lines(SESSION);
      const outcome = (text: string, taskIds: string[] = [], isOfOne = false) => {
        const judgements = [{ name: 'report.json', text, isOfOne }];
        const context = { ...format.context?.(SESSION), taskIds, judgements };
        return format.importer.derive(lines, context).reports[0]?.verification;
      };
      if (/^otel$|-hooks$/.test(format.importer.format)) return;
      expect(outcome('{"session-1":{"resolved":false}}')).toEqual({ outcome: 'failed', source: 'test' });
      expect(outcome('{"resolved_ids":["shop-17"]}', ['x', 'shop-17'])).toEqual({
        outcome: 'succeeded',
        source: 'test',
      });
      expect(outcome('{"resolved":true}', [], true)).toEqual({ outcome: 'succeeded', source: 'test' });
      const reward = JSON.stringify({ trial_name: 'shop-17', verifier_result: { rewards: { reward: 0 } } });
      expect(outcome(reward, ['shop-17'])).toEqual({ outcome: 'failed', source: 'reward' });
      const claim = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'Solved' });
      for (const text of ['{"shop-18":{"resolved":true}}', '{"resolved":true}', reward, claim, 'no JSON'])
        expect(outcome(text, ['x'])).toEqual({ outcome: 'none' });
    });

    it('keeps no word of the conversation and no output of successful calls', () => {
      const text = JSON.stringify(derive());
      for (const word of ['dear agent', '4711', 'balanced', '/srv/shop']) expect(text).not.toContain(word);
    });

    it('gives the same report for the same records', () => {
      expect(derive()).toEqual(derive());
      const other = only({ id: 'session-2' });
      expect(other.executionId).not.toBe(only().executionId);
      expect(other.sessionId).not.toBe(only().sessionId);
    });

    it('gives the same hash for the same task, and takes sessions without a task for different ones', () => {
      const other = only({ id: 'session-2', task: 'CLOSE the books of   March, dear agent' });
      expect(other.taskId === only().taskId).toBe(format.isWithoutTask !== true);
      expect(only({ task: 'Something else' }).taskId).not.toBe(other.taskId);
    });

    it('gives a session that has grown a new execution id and the same session id', () => {
      const grown = only({ steps: [FAILED, SUCCEEDED, SUCCEEDED] });
      expect(grown.sessionId).toBe(only().sessionId);
      expect(grown.startedAt).toBe(only().startedAt);
      expect(grown.executionId).not.toBe(only().executionId);
    });

    it('counts exact repetitions of failed calls as retries', () => {
      expect(only({ steps: [FAILED, FAILED, SUCCEEDED] }).retryCount).toBe(1);
      expect(only().retryCount).toBe(0);
    });

    it('counts unreadable lines and imports the rest', () => {
      expect(format.importer.derive([]).reports).toEqual([]);
      expect(format.importer.derive(['', 'no JSON', '5', '[1]', '"text"', 'null', '{}']).reports).toEqual([]);
      if (!format.byLine) return;
      const lines = format.lines(SESSION);
      const noisy = lines.flatMap((line) => ['no record', line, '17', '["a list"]', '{"type":5,"payload":[]}']);
      const { reports, counts } = format.importer.derive(noisy, format.context?.(SESSION));
      expect(reports).toEqual(derive().reports);
      expect(counts.badLines).toBeGreaterThan(0);
    });

    const OTHER: Step = { tool: 'Bash', input: { command: 'pip install ledger' }, output: 'ok' };
    const STEPS = [FAILED, OTHER, SUCCEEDED, FAILED, SUCCEEDED];
    const withSameIds = (lines: string[]) =>
      lines.map((line) => line.replaceAll(/(?:session-\d-)?call-\d+/g, 'Bash:0'));

    it('counts calls that a gateway gave the same id, each with its own result', () => {
      for (const day of [0, 1]) {
        const session = { ...SESSION, id: `session-${day}`, steps: STEPS };
        const lines = onDay(day, format.lines(session));
        const { reports } = format.importer.derive(withSameIds(lines), format.context?.(session));
        expect(reports[0]?.toolCalls).toEqual(derived(format, session).reports[0]?.toolCalls);
        expect(reports[0]?.retryCount).toBe(1);
      }
    });

    it('reads records that share a line, also behind one that was cut or a block of NUL', () => {
      if (!format.byLine) return;
      const session = { ...SESSION, steps: STEPS };
      const lines = format.lines(session);
      const derive = (noisy: string[]) => format.importer.derive(noisy, format.context?.(session));
      const whole = derive(lines).reports[0];
      const joined = derive([lines.slice(0, 5).join(''), ...lines.slice(5)]);
      expect(joined).toMatchObject({ reports: [{ toolCalls: whole?.toolCalls }], counts: { badLines: 0 } });
      const last = lines.length - 1;
      for (const lost of ['\0\0\0', (lines[last] ?? '').slice(0, -9), '{"a":{"b":[1,{"c":"{']) {
        const damaged = derive(lines.map((line, at) => (at === last ? `${lost}${line}` : line)));
        expect(damaged.reports[0]?.toolCalls).toEqual(whole?.toolCalls);
        expect(damaged.counts.badLines).toBe(1);
        expect(damaged.omitted).toContainEqual({ reason: 'place where records were lost', count: 1 });
      }
    });

    it('says where records were lost, so that nothing is derived over the hole', () => {
      if (!format.byLine || NO_ORDER.test(format.importer.format)) return;
      const session = { ...SESSION, steps: STEPS };
      const lines = format.lines(session);
      const second = lines.findIndex((line) => line.includes('pip install ledger'));
      const lost = lines.map((line, at) => (at === second ? line.slice(0, 40) : line));
      const [report] = format.importer.derive(lost, format.context?.(session)).reports;
      const marked = report?.toolCalls.filter(({ afterHole }) => afterHole === true);
      expect(marked).toHaveLength(1);
      expect(report?.toolCalls[0]).not.toHaveProperty('afterHole');
      const failures = casesOf(
        learningCalls(report?.toolCalls ?? [], parsedCalls({ toolCalls: report?.toolCalls ?? [] })),
      );
      expect(failures.map(({ failed }) => failed.at)).not.toContain(0);
      expect(report?.retryCount).toBe(0);
    });

    it('accepts records of any shape and depth, and lines that were cut off anywhere', () => {
      const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
      const input = { command: 'ls', deep: JSON.parse(`${'['.repeat(300)}${']'.repeat(300)}`) };
      expect(only({ steps: [{ ...SUCCEEDED, input }] }).toolCalls).toHaveLength(1);
      expect(format.importer.derive([deep, `{"message":${deep}}`]).reports).toEqual([]);
      const text = format.lines(SESSION).join('\n');
      fc.assert(
        fc.property(fc.nat(text.length), fc.jsonValue(), (cut, value) => {
          const lines = [...text.slice(0, cut).split('\n'), JSON.stringify(value)];
          for (const report of format.importer.derive(lines).reports)
            expect(ExecutionReport.safeParse(report).success).toBe(true);
        }),
        { numRuns: 50 },
      );
    });

    it('stays within the limits of a report, however long the session and its texts', () => {
      const long = 'x'.repeat(100_000);
      const steps = Array.from({ length: 30 }, () => ({
        ...FAILED,
        tool: long,
        input: { command: long },
        error: `Error: ${long}`,
      }));
      const [report] = derive({ id: long, task: long, steps }).reports;
      expect(ExecutionReport.safeParse(report).success).toBe(true);
    });
  },
);

/** The same records, a day later: in other formats than these, two sessions never have the same times. */
const onDay = (day: number, lines: string[]) =>
  lines.map((line) =>
    line
      .replaceAll('2026-03-31T', `2026-0${3 + day}-${day === 0 ? '31' : '01'}T`)
      .replaceAll(/\b17749\d{8}\b/g, (ms) => String(Number(ms) + day * 86_400_000)),
  );

function derived(format: ForeignFormat, session: Session) {
  return format.importer.derive(format.lines(session), format.context?.(session));
}
