import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CaptureWorker } from '../../src/capture/analysis/capture-worker.service.js';
import { CaptureModule } from '../../src/capture/capture.module.js';
import { Executions } from '../../src/capture/intake/executions.service.js';
import { countedCalls as ownCalls } from '../../src/capture/report/call-lineage.js';
import { reportToSend } from '../../src/capture/report/sent-report.js';
import { ExecutionReader } from '../../src/capture/store/execution-reader.service.js';
import { DAY_MS, MINUTE_MS } from '../../src/platform/base/durations.js';
import { acmeImporter } from '../support/acme.importer.js';
import { FOREIGN_FORMATS, type ForeignFormat, type Session, type Step } from '../support/foreign-sessions.js';
import { startServices, type TestServices } from '../support/services.js';

let services: TestServices;

beforeAll(async () => {
  services = await startServices(CaptureModule);
});
afterAll(() => services.close());

const step = (command: string, error?: string): Step => ({
  tool: 'Bash',
  input: { command },
  ...(error === undefined ? { output: 'done' } : { error }),
});
const SESSION: Session = {
  id: 'session-1',
  task: 'Close the books',
  steps: [step('make close', 'Error: no books'), step('make books'), step('make close')],
  answer: 'Closed',
  end: 'normal',
};
/** Went on from the session, after its last call. */
const LONGER: Session = { ...SESSION, steps: [...SESSION.steps, step('make report')] };

/** A format of which a session can hold the records of another one. */
const ACME: ForeignFormat = {
  importer: acmeImporter,
  lines: ({ id, task, steps }) =>
    [
      { acme: 'run', run: id, task },
      ...steps.flatMap(({ tool, input, output, error }, n) => [
        { acme: 'call', call: `c${n}`, tool, input },
        { acme: 'result', call: `c${n}`, ok: error === undefined, text: error ?? output },
      ]),
    ].map((line, n) => JSON.stringify({ ...line, at: new Date(Date.UTC(2026, 2, 31, 18, n)).toISOString() })),
  ends: ['normal'],
  byLine: true,
};
const COPYING = /^(?:claude-code(?:-stream)?|codex|gemini|opencode|copilot|openhands-v1)$/;
const FORMATS = [ACME, ...FOREIGN_FORMATS.filter(({ importer }) => COPYING.test(importer.format))];

/** The longer session under another id, with the records of the first one: their ids stay. */
function fork({ importer, lines }: ForeignFormat): string[] {
  const renamed = lines(LONGER).map((line) =>
    line.replaceAll(/"(sessionId|sessionID|session_id|run|id)":"session-1"/g, '"$1":"a-fork"'),
  );
  // a fork of Codex has its own meta first and then that of the session
  if (importer.format === 'codex') renamed.splice(1, 0, lines(LONGER)[0] ?? '');
  return renamed;
}

async function countedCalls(files: readonly string[][], { importer, context }: ForeignFormat, owner: string) {
  const ada = await services.agent(`Ada ${owner}`, owner);
  services.clock.advance(DAY_MS);
  const from = services.clock.now();
  for (const lines of files) {
    const [report] = importer.derive(lines, context?.(SESSION)).reports;
    const sent = report && reportToSend(report);
    if (sent?.usable !== true) throw new Error('no report was derived');
    await services.get(Executions).report(ada, sent.report);
    services.get(CaptureWorker).wake();
    await services.get(CaptureWorker).idle();
  }
  services.clock.advance(MINUTE_MS);
  const reader = services.get(ExecutionReader);
  const ids: string[] = [];
  for await (const { observed } of reader.read(from, services.clock.now())) ids.push(observed.executionId);
  const actions: string[] = [];
  for await (const { report } of reader.readReported(ids))
    actions.push(...ownCalls(report.toolCalls).map(({ action }) => action));
  return actions.sort();
}

/** A rollout whose calls are made by scripts, as events report them and as they stand in their text. */
function scripts(id: string, steps: readonly Step[], start: number): string[] {
  let n = 0;
  const line = (type: string, payload: object) => {
    n += 1;
    return JSON.stringify({ timestamp: new Date(start + n * 1_000).toISOString(), type, payload });
  };
  const call = ({ input, error }: Step, at: number) => {
    const cmd = input['command'];
    const code = error === undefined ? 0 : 1;
    const script = `text(await tools.exec_command({ cmd: ${JSON.stringify(cmd)} }));`;
    const item = {
      type: 'CommandExecution',
      id: `exec-${at}`,
      exit_code: code,
      command: cmd,
      aggregated_output: error,
    };
    const asked = { type: 'custom_tool_call', name: 'exec', call_id: `script-${at}`, input: script };
    const said = [
      { text: 'Script completed\nOutput:\n' },
      { text: JSON.stringify({ exit_code: code, output: error ?? '' }) },
    ];
    return [
      line('response_item', asked),
      ...(at === 0 ? [line('event_msg', { type: 'item_completed', item })] : []),
      line('response_item', { type: 'custom_tool_call_output', call_id: asked.call_id, output: said }),
    ];
  };
  const root = line('session_meta', { id: SESSION.id });
  return [...(id === SESSION.id ? [] : [line('session_meta', { id })]), root, ...steps.flatMap(call)];
}

it('a fork of Codex that repeats scripts at its own time counts its own calls alone', async () => {
  const codex = FOREIGN_FORMATS.find(({ importer }) => importer.format === 'codex') ?? ACME;
  const [then, later] = [Date.UTC(2026, 2, 31, 18), Date.UTC(2026, 3, 1, 9)];
  const files = [scripts(SESSION.id, SESSION.steps, then), scripts('a-fork', LONGER.steps, later)];
  expect(await countedCalls(files, codex, 'scripts')).toEqual([
    'make books',
    'make close',
    'make close',
    'make report',
  ]);
});

describe.each(FORMATS.map((format) => [format.importer.format, format] as const))(
  'a session of %s that repeats another one',
  (name, format) => {
    const own = () => format.lines(SESSION);
    it.each([
      ['after', () => [own(), fork(format)]],
      ['before', () => [fork(format), own()]],
    ])('counts its own call alone when it arrives %s it', async (order, files) => {
      const calls = await countedCalls(files(), format, `${name} ${order}`);
      expect(calls).toEqual(['make books', 'make close', 'make close', 'make report']);
    });
  },
);
