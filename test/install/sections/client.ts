import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Checks } from '../checks.js';
import { expectSame, expectText } from '../checks.js';
import { ClientProject } from '../client-project.js';
import { installedProgram } from '../installed-program.js';
import { filesOf } from '../package-files.js';

export const isQuick = true;

/** Issues the credential of an agent with the token of the first start, and reports with it. */
const REPORTER = `import { AgentSession, Guildbook } from 'guildbook/client';
const [server = '', first = ''] = process.argv.slice(2);
const administrator = new Guildbook({ server, token: (await new Guildbook({ server }).signIn(first)).token });
const name = 'exporter';
const { token } = await administrator.agents.add({ name, role: 'batch', department: 'data', owner: 'ops' });
const at = new Date().toISOString();
const receipt = await new AgentSession({ server, token }).report({
  executionId: 'first', taskId: 'export', taskTitle: 'run the nightly export', startedAt: at, finishedAt: at,
  status: 'completed', verification: { outcome: 'none' }, terminationReason: 'ended',
  toolCalls: [{ name: 'Bash', action: 'python3 export.py', ok: true }], retryCount: 0, maxRetries: 0,
});
console.log(JSON.stringify(receipt));
`;
/** Remembers a fact in one session and reads it in the next, without a server. */
const REMEMBERER = `import { openSessionMemory, type SessionMemory } from 'guildbook/sessions';
const [folder = ''] = process.argv.slice(2);
const memory: SessionMemory = await openSessionMemory({ folder, project: 'shop' });
await memory.save({ kind: 'fact', content: 'fixtures live in testdata/golden/' });
await memory.close({ asked: 'look at the tests', turns: 2 });
console.log(await (await openSessionMemory({ folder, project: 'shop' })).preamble());
`;
/** Prints every module that the client loads. */
const TRACE = `import * as modules from 'node:module';
if (modules.registerHooks === undefined) process.exit(9);
modules.registerHooks({ load: (url, context, next) => { console.log(url); return next(url, context); } });
await import('guildbook/client');
`;

/** The typed client of the package, from a project of a user. */
export async function run(checks: Checks): Promise<void> {
  const program = await installedProgram();
  const home = program.newHome();
  const before = filesOf(program.packageFolder);
  const server = program.start(['serve'], { home, env: { GUILDBOOK_PORT: '0' } });
  const project = new ClientProject(program);
  try {
    await checks.check('the client is typed, and reports an execution to a running server', async () => {
      const url = await server.listening();
      const token = readFileSync(join(home.home, '.local', 'share', 'guildbook', 'admin-token'), 'utf8').trim();
      project.write('agent.ts', REPORTER);
      const compiled = await project.compile('agent.ts');
      expectSame([compiled.code, compiled.stdout], [0, ''], 'compiler');
      const { stdout, stderr } = await project.run('agent.js', url, token);
      expectText(stdout, '"executionId":"first"', `receipt (${stderr})`);
    });
    await checks.check('the server writes nothing into the current folder and the package', () => {
      expectSame(readdirSync(home.cwd), [], 'current folder');
      expectSame(filesOf(program.packageFolder), before, 'files of the package');
    });
  } finally {
    await server.stop();
  }
  await checkClient(checks, project);
  await checkSessions(checks, project);
}

async function checkSessions(checks: Checks, project: ClientProject): Promise<void> {
  await checks.check('the session memory is typed, and works without a server', async () => {
    project.write('sessions.ts', REMEMBERER);
    const compiled = await project.compile('sessions.ts');
    expectSame([compiled.code, compiled.stdout], [0, ''], 'compiler');
    const folder = join(realpathSync(project.folder), 'memory');
    const { stdout, stderr } = await project.run('sessions.js', folder);
    expectText(stdout, '"fact":"fixtures live in testdata/golden/"', `preamble (${stderr})`);
    expectSame(readdirSync(join(folder, 'sessions')).length, 1, 'session files');
  });
}

async function checkClient(checks: Checks, project: ClientProject): Promise<void> {
  await checks.check('the client loads its own modules only', async () => {
    project.write('trace.mjs', TRACE);
    const { code, stdout, stderr } = await project.run('trace.mjs');
    if (code === 9) return checks.skip('modules of the client', 'this Node has no module.registerHooks');
    expectSame(code, 0, `exit code (${stderr})`);
    const foreign = stdout
      .trim()
      .split('\n')
      .filter((url) => !/\/dist\/client\/[\w-]+\.js$/.test(url));
    expectSame(foreign, [], 'modules outside dist/client');
  });
  await checks.check('no other file of the package can be imported', async () => {
    project.write('deep.mjs', "await import('guildbook/dist/application.js');\n");
    expectText((await project.run('deep.mjs')).stderr, 'ERR_PACKAGE_PATH_NOT_EXPORTED', 'error');
  });
}
