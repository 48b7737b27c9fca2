import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FOREIGN_FORMATS, type Session } from '../../../test/support/foreign-sessions.js';
import { ExecutionReport } from '../report/execution-report.schema.js';

const SESSION: Session = {
  id: 'session-1',
  task: 'Close the books',
  steps: [
    { tool: 'Bash', input: { command: 'python close.py' }, error: 'SyntaxError: invalid syntax' },
    { tool: 'Read', input: { file_path: 'a.py' }, output: 'x' },
  ],
  answer: 'Closed',
  end: 'api-error',
};
const FORMATS = /^(?:mini-swe-agent|swe-agent|openhands-v[01]|runs)$/;

type Path = readonly (string | number)[];

/** The paths of all values in a record. */
function places(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => places(inner, [...path, key]))];
}

function withValue(record: unknown, path: Path, value: unknown): unknown {
  if (path.length === 0) return value;
  const copy: unknown = structuredClone(record);
  let at: unknown = copy;
  for (const key of path.slice(0, -1)) at = Object(at)[key];
  Object.assign(Object(at), { [path.at(-1) ?? '']: value });
  return copy;
}

describe.each(
  FOREIGN_FORMATS.filter(({ importer }) => FORMATS.test(importer.format)).map(
    (one) => [one.importer.format, one] as const,
  ),
)('records of %s', (_name, format) => {
  const lines = format.lines(SESSION);
  const derive = (given: readonly string[]) =>
    format.importer.derive(given, { recordedAt: '2026-03-31T18:00:00.000Z' });

  it('with any value in any field give valid reports or a reason', () => {
    const all = lines.flatMap((line, n) => places(JSON.parse(line)).map((path) => ({ n, path })));
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom('x'.repeat(5_000), -1, 1e308, [[[]]], { toString: 1 }));
    fc.assert(
      fc.property(fc.constantFrom(...all), value, ({ n, path }, replaced) => {
        const given = lines.with(n, JSON.stringify(withValue(JSON.parse(lines[n] ?? ''), path, replaced)));
        const { reports, omitted, counts } = derive(given);
        for (const report of reports) expect(ExecutionReport.safeParse(report).success).toBe(true);
        if (reports.length === 0) expect(omitted.length + counts.badLines).toBeGreaterThan(0);
      }),
      { numRuns: 150 },
    );
  });

  it('that are repeated count no call twice', () => {
    const calls = derive(lines).reports[0]?.toolCalls.length;
    const repeated = format.byLine ? lines.flatMap((line) => [line, line]) : lines;
    expect(calls).toBe(2);
    expect(derive(repeated).reports.map(({ toolCalls }) => toolCalls.length)).toEqual([2]);
  });
});
