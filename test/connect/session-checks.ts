import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Checks } from '../install/checks.js';
import { expectSame, expectText } from '../install/checks.js';
import type { Finished, Machine } from './machine.js';
import type { AgentProgram } from './products.js';
import type { PublishedSkills } from './published-skills.js';
import type { HookMode, Relay } from './relay.js';
import type { ScriptedModel } from './scripted-model.js';

const FAILING = 'echo ran >> ran.txt; python3 -c "print 1"';
const TRIES = 150;
/** An agent that goes on is done by then, with two seconds for each hook until the client rests. */
const GOES_ON_MS = 60_000;

/** The events of a session with one failed command, in the product's own words. */
const EVENTS: Readonly<Record<string, readonly string[]>> = {
  'claude-code': ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUseFailure', 'Stop', 'SessionEnd'],
  codex: ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop', 'SessionEnd'],
  gemini: ['SessionStart', 'BeforeAgent', 'BeforeTool', 'AfterTool', 'AfterAgent', 'SessionEnd'],
  opencode: ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'SessionEnd'],
  copilot: ['sessionStart', 'userPromptSubmitted', 'preToolUse', 'postToolUse', 'agentStop', 'sessionEnd'],
};

export interface Stage {
  readonly machine: Machine;
  readonly agent: AgentProgram;
  readonly relay: Relay;
  readonly model: ScriptedModel;
  /** The server and a person's token, as the command line takes them. */
  readonly signedIn: Readonly<Record<string, string>>;
  readonly skills: PublishedSkills;
}

const Status = z.object({ executions: z.number() });
const isEnd = (event: string): boolean => /^sessionEnd$/i.test(event);

interface Session extends Finished {
  /** Everything that the model was sent. */
  readonly sent: string;
}

/** One session in which the model runs the failing command `calls` times and then ends. */
export async function session({ machine, model, relay }: Stage, mode: HookMode, calls = 1): Promise<Session> {
  relay.reset(mode);
  model.requests.length = 0;
  model.script = [...Array.from({ length: calls }, () => ({ shell: FAILING })), { text: 'MARK_DONE' }];
  const finished = await machine.work('run the nightly export');
  return { ...finished, sent: model.requests.join('\n') };
}

export function expectEnded({ status, stdout, stderr }: Finished): void {
  if (status !== 0) throw new Error(`it ended with ${status}:\n${stdout.slice(-1500)}${stderr.slice(-1500)}`);
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (isSo()) return;
    await sleep(100);
  }
  throw new Error(`${what} did not happen within ${TRIES / 10} s`);
}

export async function connect(
  { machine, agent, relay, signedIn }: Stage,
  ...options: string[]
): Promise<Record<string, unknown>> {
  if (relay.mode === 'server') relay.reset('nothing');
  const finished = await machine.guildbook(['connect', agent.product, '--json', '--yes', ...options], signedIn);
  expectEnded(finished);
  return JSON.parse(finished.stdout);
}

/** Connects the product with the command, and sees in what the model is sent what the server answered. */
export async function checkLessons(checks: Checks, stage: Stage): Promise<void> {
  const { machine, agent, relay } = stage;
  await checks.check('the command connects it, and says what the server answered', async () => {
    relay.reset('lessons');
    const connected = await connect(stage);
    expectText(JSON.stringify(connected['check']), '"status":200', 'the test of the connection');
    expectText(JSON.stringify(connected['check']), 'MARK_START', 'the test of the connection');
    if (agent.product === 'codex') expectSame(connected['trust'], 'trusted', 'the trust of Codex');
  });
  await checks.check('a second run changes nothing', async () => {
    const before = readFileSync(machine.settings(), 'utf8');
    await connect(stage);
    expectSame(readFileSync(machine.settings(), 'utf8'), before, 'the settings');
  });
  const seen = await checks.check(
    'the model is sent the lessons at the start, with a prompt and after a failure',
    async () => {
      const found = await session(stage, 'lessons');
      expectEnded(found);
      for (const mark of ['MARK_START', 'MARK_PROMPT', 'MARK_FAILURE']) expectText(found.sent, mark, 'the requests');
      expectSame(machine.runs(), 1, 'runs of the command');
      return found;
    },
  );
  if (seen === undefined) return;
  await checks.check('each event arrives once, with the token, and the origin at the start alone', async () => {
    const wanted = EVENTS[agent.product] ?? [];
    await until('the last event', () => relay.calls.some(({ event }) => event === wanted.at(-1)));
    expectSame(relay.calls.map(({ event }) => event).sort(), [...wanted].sort(), 'the events');
    const origins = relay.calls.map(({ event, origin }) => (/^sessionStart$/i.test(event) ? origin : (origin ?? '')));
    expectSame([...new Set(origins)].sort(), ['', 'https://git.example.test/team/shop.git'], 'the origins');
    expectText(
      [...new Set(relay.calls.map(({ authorization }) => authorization))].join(),
      /^Bearer gbt_[\w-]+$/,
      'the token',
    );
  });
  await checks.check('the memory tools are offered to the model', () =>
    expectText(seen.sent, 'recall', 'the requests'),
  );
  await checks.check('no token stands in a request to the model or in the output', () => {
    if (`${seen.sent}${seen.stdout}${seen.stderr}`.includes('gbt_')) throw new Error('the token is there');
  });
}

/** What the server itself does with a session: answers each hook, and has its report afterwards. */
export async function checkServer(checks: Checks, stage: Stage): Promise<void> {
  const { machine, relay, signedIn } = stage;
  const headers = { authorization: `Bearer ${signedIn['GUILDBOOK_TOKEN']}` };
  relay.reset('server');
  const probe = await fetch(`${relay.url}/v1/hooks/gemini/SessionStart`, { method: 'POST', headers, body: '{}' });
  if (probe.status === 404) checks.skip('answers of the server', 'it has no route for the hooks of all products');
  else
    await checks.check('the server answers each hook with 200', async () => {
      expectEnded(await session(stage, 'server'));
      await until('the last event', () => relay.calls.some(({ event }) => isEnd(event)));
      await until('an answer to each event', () => relay.calls.every(({ status }) => status !== undefined));
      expectSame([...new Set(relay.calls.map(({ status }) => status))], [200], 'the statuses');
    });
  const { stdout } = await machine.guildbook(['import', '--help']);
  if (!stdout.includes('--session'))
    return checks.skip('the report on the server', 'this command line imports no single session');
  await checks.check('the server has the report of a session after its end', async () => {
    const number = async (): Promise<number> => {
      const status = await fetch(`${relay.url}/v1/executions/status`, { headers });
      return Status.parse(await status.json()).executions;
    };
    const before = await number();
    expectEnded(await session(stage, 'lessons'));
    for (let tries = 0; (await number()) === before; tries += 1) {
      if (tries === TRIES) throw new Error('no report arrived');
      await sleep(200);
    }
  });
}

/** Refuses the first call of a session with the lesson, and lets the same call pass the second time. */
export async function checkGate(checks: Checks, stage: Stage): Promise<void> {
  await checks.check('a call is refused once with the lesson, and passes the second time', async () => {
    await connect(stage);
    const found = await session(stage, 'refuse once', 2);
    expectEnded(found);
    expectText(found.sent, 'MARK_REFUSED', 'the requests');
    expectSame(stage.machine.runs(), 1, 'runs of the command');
  });
  await checks.check('with --no-gate no hook runs before a call', async () => {
    await connect(stage, '--no-gate');
    await session(stage, 'refuse once');
    const before = stage.relay.calls.filter(({ event }) => /^(?:PreToolUse|BeforeTool)$/i.test(event));
    expectSame(before.length, 0, 'hooks before a call');
    expectSame(stage.machine.runs(), 1, 'runs of the command');
  });
}

/** The agent goes on when the server fails in any way, and neither the model nor the person sees anything of it. */
export async function checkFailures(checks: Checks, stage: Stage): Promise<void> {
  const { machine } = stage;
  const goesOn = async (mode: HookMode) => {
    machine.endRest();
    const found = await session(stage, mode);
    expectEnded(found);
    expectSame(machine.runs(), 1, 'runs of the command');
    const everything = `${found.sent}${found.stdout}${found.stderr}`;
    const leaked = /MARK_(?:PAGE|TYPES|ERROR|START|PROMPT|FAILURE)|hook (?:error|failed|cancelled)|curl:/i.exec(
      everything,
    );
    if (leaked)
      throw new Error(
        `it shows "${leaked[0]}": …${everything.slice(Math.max(0, leaked.index - 200), leaked.index + 200)}`,
      );
    if (found.ms > GOES_ON_MS) throw new Error(`it took ${found.ms} ms`);
    checks.figure(mode === 'slow' ? 'slowMs' : `${mode.replaceAll(' ', '')}Ms`, found.ms);
  };
  for (const mode of ['nothing', 'error page', 'wrong types', 'server error', 'slow'] as const)
    await checks.check(`the agent goes on, silent: ${mode}`, () => goesOn(mode));
  await checks.check('the agent goes on, silent: nothing listens', async () => {
    const settings = readFileSync(machine.settings(), 'utf8');
    writeFileSync(machine.settings(), settings.replace(/^server=.*$/m, 'server=http://127.0.0.1:9'));
    try {
      await goesOn('nothing');
    } finally {
      writeFileSync(machine.settings(), settings);
      machine.endRest();
    }
  });
}

/** Takes everything back: no hook runs any more, and nothing of Guildbook is left in the home. */
export async function checkUndo(checks: Checks, stage: Stage): Promise<void> {
  const { machine, agent, relay, signedIn } = stage;
  await checks.check('--undo says that everything is taken back, and the token is revoked', async () => {
    const token = /^token=(.*)$/m.exec(readFileSync(machine.settings(), 'utf8'))?.[1] ?? '';
    const finished = await machine.guildbook(['connect', agent.product, '--undo', '--json'], signedIn);
    expectEnded(finished);
    expectSame(
      JSON.parse(finished.stdout),
      { product: agent.product, wasConnected: true, revoked: true, left: [] },
      'what it says',
    );
    const { status } = await fetch(`${relay.url}/v1/me`, { headers: { authorization: `Bearer ${token}` } });
    expectSame(status, 401, 'the status for the token');
  });
  await checks.check('nothing of Guildbook is left in the home', () =>
    expectSame(machine.remains(), [], 'what is left'),
  );
  await checks.check('no hook runs any more, and the agent works', async () => {
    const found = await session(stage, 'lessons');
    expectEnded(found);
    await sleep(1_000);
    expectSame(
      relay.calls.map(({ event }) => event),
      [],
      'the events',
    );
    expectSame(machine.runs(), 1, 'runs of the command');
  });
}
