import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import { programPath } from '../../src/platform/config/environment.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { approvedSkill } from '../support/skills.js';

const FOLDER = join(PROJECT_ROOT, 'examples', 'python');
const PROGRAM = `
from guildbook_http import Denied, Run
run = Run("run the nightly export of the ledger")
print(len(run.recall()))
def fails():
    raise ValueError("SyntaxError: invalid syntax")
for action, work in (("python export.py", fails), ("python3 export.py", lambda: "done")):
    try:
        print(run.call("shell", action, work, "reads"))
    except ValueError as error:
        print(error)
try:
    run.memories.append("00000000-0000-4000-8000-000000000000")
    run.call("shell", "rm export.csv", fails)
except Denied as error:
    print(error)
print(run.report()["duplicate"])
`;

describe('the examples in Python', () => {
  it.each(['langgraph_agent.py', 'openai_agent.py'])('are short and use the part over HTTP: %s', (name) => {
    const text = readFileSync(join(FOLDER, name), 'utf8');
    expect(text.split('\n').length).toBeLessThan(45);
    for (const call of ['run.recall()', 'run.call(', 'run.report()']) expect(text).toContain(call);
  });

  it('over OpenTelemetry is short, and takes server and token from the settings of the exporter', () => {
    const text = readFileSync(join(FOLDER, 'otlp_agent.py'), 'utf8');
    expect(text.split('\n').length).toBeLessThan(45);
    for (const part of ['OTLPSpanExporter()', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_HEADERS'])
      expect(text).toContain(part);
  });
});

// Python is no requirement of the project.
if (spawnSync('python3', ['--version'], { env: { PATH: programPath() } }).status === 0)
  describe('the part over HTTP in Python', () => {
    let app: TestApplication;

    beforeAll(async () => {
      app = await startTestApplication();
    });
    afterAll(() => app.close());

    it('recalls, asks the gate before each call, and reports what happened', async () => {
      await approvedSkill(app, 'Run the nightly export of the ledger with python3');
      const { token } = await app.agent('Ada');
      const env = {
        PATH: programPath(),
        GUILDBOOK_SERVER: app.url,
        GUILDBOOK_TOKEN: token,
        PYTHONDONTWRITEBYTECODE: '1',
      };
      const child = spawn('python3', ['-c', PROGRAM], { cwd: FOLDER, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let [out, err] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
      const [code] = await once(child, 'close');
      expect({ code, err }).toEqual({ code: 0, err: '' });
      const [messages, failed, worked, denied, duplicate] = out.trim().split('\n');
      expect([messages, failed, worked, duplicate]).toEqual(['2', 'SyntaxError: invalid syntax', 'done', 'False']);
      expect(denied).toContain('authorises no change');
      await app.settled();
      const [execution] = (await app.admin.executions.list({ limit: 1 })).items;
      const { report } = await app.admin.executions.show(execution?.id ?? '');
      expect(report.toolCalls.map(({ action, ok }) => [action, ok])).toEqual([
        ['python export.py', false],
        ['python3 export.py', true],
      ]);
    });
  });
