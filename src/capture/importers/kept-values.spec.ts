import { describe, expect, it } from '@jest/globals';
import { FOREIGN_FORMATS, type Session, type Step } from '../../../test/support/foreign-sessions.js';
import { shownCall } from '../actions/shown-call.js';
import { analysisPayload } from '../analysis/payload.js';
import { observe } from '../observations/observation.js';
import { obstaclesOf } from '../observations/obstacles.js';
import type { ExecutionReport } from '../report/execution-report.schema.js';
import { sanitiseReport } from '../report/sanitised-report.js';

const CANARY = 'kanarienvogel';
/** A step with the canary in every place of content: outputs, file texts, edits, prompts, messages and code. */
const CONTENT: readonly Step[] = [
  { tool: 'Bash', input: { command: `python -c "${CANARY}()"`, description: CANARY }, output: CANARY },
  { tool: 'Bash', input: { command: `git commit -m "${CANARY} is fixed"` }, output: `[main] ${CANARY}` },
  { tool: 'Bash', input: { command: `cat > a.py <<'E'\n${CANARY}\nE` }, output: CANARY },
  { tool: 'Bash', input: { command: `echo ${CANARY} >> notes.txt` }, output: CANARY },
  { tool: 'Bash', input: { command: `sed -i 's/a/${CANARY}/' a.py` }, output: CANARY },
  { tool: 'Bash', input: { command: 'python3 --version' }, output: `Python 3.8.8\n${CANARY}` },
  {
    tool: 'Bash',
    input: { command: `curl -d "${CANARY}" https://${CANARY}.example.com/?x=${CANARY}` },
    output: CANARY,
  },
  { tool: 'Bash', input: { command: `ls /home/${CANARY}/x && mail -s a ${CANARY}@example.com` }, output: CANARY },
  { tool: 'Read', input: { file_path: `/home/${CANARY}/shop/a.py` }, output: CANARY },
  { tool: 'Edit', input: { file_path: 'a.py', old_string: CANARY, new_string: CANARY }, output: CANARY },
  { tool: 'MultiEdit', input: { file_path: 'a.py', edits: [{ old_string: CANARY }] }, output: CANARY },
  { tool: 'Write', input: { file_path: 'a.py', content: CANARY }, output: CANARY },
  { tool: 'NotebookEdit', input: { notebook_path: 'a.ipynb', new_source: CANARY }, output: CANARY },
  { tool: 'Task', input: { description: CANARY, prompt: CANARY, subagent_type: 'reader' }, output: CANARY },
  { tool: 'TodoWrite', input: { todos: [{ content: CANARY }] }, output: CANARY },
  { tool: 'send_message', input: { to: CANARY, subject: CANARY, body: CANARY }, output: CANARY },
  {
    tool: 'book',
    input: { customer: CANARY, passengers: [{ first_name: CANARY }], order_id: `${CANARY}1` },
    output: CANARY,
  },
  { tool: 'run_python', input: { code: CANARY, data: { text: CANARY, content: CANARY } }, output: CANARY },
  { tool: 'fetch', input: { url: `https://example.com/${CANARY}`, note: `a\n${CANARY}` }, output: CANARY },
  { tool: 'Bash', input: { command: 'python a.py' }, error: 'Exit code 1\nValueError: bad month' },
  { tool: 'Bash', input: { command: 'python3 a.py' }, output: CANARY },
];
const SESSION: Session = { id: 'session-1', task: CANARY, steps: CONTENT, answer: CANARY, end: 'normal' };

describe.each(FOREIGN_FORMATS.map((format) => [format.importer.format, format] as const))(
  'a report by the importer of %s',
  (_name, format) => {
    const reports = (steps: readonly Step[]): ExecutionReport[] => {
      const session = { ...SESSION, steps };
      return format.importer.derive(format.lines(session), format.context?.(session)).reports;
    };

    it('holds no output of a successful call and no content of an argument, nor does the payload for a model', () => {
      const derived = reports(CONTENT);
      expect(derived[0]?.toolCalls.length).toBeGreaterThan(15);
      expect(JSON.stringify(derived)).not.toContain(CANARY);
      for (const report of derived) {
        const identity = { id: 'e', agentId: 'a', agentName: 'Ada', owner: 'o', rootExecutionKey: 'e', origin: 'x' };
        const observed = observe({ ...identity, finishedAt: report.finishedAt, report });
        expect(
          JSON.stringify(analysisPayload('success', report, observed, obstaclesOf(report.toolCalls))),
        ).not.toContain(CANARY);
        expect(JSON.stringify(report.toolCalls.map(shownCall))).not.toContain(CANARY);
      }
    });

    it('survives the checks of the server unchanged', () => {
      for (const report of reports(CONTENT)) expect(sanitiseReport(report)).toMatchObject({ usable: true, report });
    });
  },
);

describe.each(
  FOREIGN_FORMATS.filter(({ importer }) =>
    /^(?:claude-code|codex|atif|swe-agent|openhands-v[01]|runs)$/.test(importer.format),
  ).map((format) => [format.importer.format, format] as const),
)('a report of a transcript by the importer of %s', (_name, format) => {
  const report = (steps: readonly Step[]): ExecutionReport | undefined => {
    const session = { ...SESSION, steps };
    return format.importer.derive(format.lines(session), format.context?.(session)).reports[0];
  };

  it('holds the arguments of each call, its place in its reply, and that it ran', () => {
    const input = { query: 'open orders', limit: 5 };
    expect(report([{ tool: 'search', input, output: 'none' }])?.toolCalls).toMatchObject([
      {
        arguments: [
          { key: 'query', type: 'text', value: 'open orders' },
          { key: 'limit', type: 'number', value: '5' },
        ],
        reply: { position: 1, calls: 1 },
        ran: true,
      },
    ]);
  });

  it('holds the line that says why a call failed, which is none that successful calls print', () => {
    const notice = 'UserWarning: the cache is old';
    const run = (command: string) => ({ tool: 'Bash', input: { command } });
    const calls = report([
      { ...run('python3 a.py'), output: `${notice}\n12` },
      { ...run('python3 b.py'), output: `${notice}\n13` },
      { ...run('python3 c.py'), error: `Exit code 1\n${notice}\nfatal: no such month` },
    ])?.toolCalls;
    expect(calls?.[2]?.errorLine).toBe('fatal: no such month');
    expect(calls?.[0]).not.toHaveProperty('errorLine');
  });

  it('holds the environment as far as record and outputs name it', () => {
    const steps = [{ tool: 'Bash', input: { command: 'python --version' }, output: 'Python 2.7.3' }];
    expect(report(steps)?.environment).toMatchObject({
      harness: expect.any(String),
      interpreters: [{ name: 'python', version: '2.7.3' }],
    });
  });

  it('does not name the owner of the home folder that the session ran in', () => {
    const lines = format
      .lines({ ...SESSION, steps: [{ tool: 'Bash', input: { command: 'ls sandiego && id sandiego' }, output: 'x' }] })
      .map((line) => line.replaceAll('/srv/shop', '/home/sandiego/shop'));
    const derived = format.importer.derive(lines, format.context?.(SESSION)).reports;
    if (lines.some((line) => line.includes('/home/'))) expect(JSON.stringify(derived)).not.toContain('sandiego');
    expect(derived).toHaveLength(1);
  });
});
