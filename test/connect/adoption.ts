import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { ProposalPage } from '../../src/approvals/proposals/proposals.schema.js';
import { messageOf } from '../../src/platform/base/error-text.js';
import { BuiltServer } from '../attacks/built-server.js';
import { install } from '../consumers/install.js';
import { Machine } from './machine.js';
import type { AgentProgram } from './products.js';
import { chosenPrograms, installPrograms, newNode } from './programs.js';
import { type ScriptedModel, startModel } from './scripted-model.js';

const { values } = parseArgs({
  options: {
    cache: { type: 'string', default: join(tmpdir(), 'guildbook-consumer-cache') },
    only: { type: 'string', multiple: true, default: [] },
    install: { type: 'boolean', default: false },
  },
});
const { cache } = values;
const chosen = chosenPrograms(values.only.length > 0 ? values.only : ['claude', 'codex']);

/** What was needed until the advice arrived at the failure. */
interface Adoption {
  /** Commands that a person typed, sessions and decisions. */
  readonly steps: number;
  readonly humanActs: number;
  readonly sessionsToAdvice: number;
  readonly seconds: number;
}

const MOST_SESSIONS = 3;
/** Reports arrive after the end of a session, and a cycle runs a minute after the last one. */
const PROPOSED_MS = 240_000;
const REPORTED_MS = 60_000;
const FAILING = 'python2 export.py';
const WORKING = 'python3 export.py';
const TASKS = ['Run the nightly export.', 'Export the March figures again.', 'Check that the export still works.'];

async function runAll(): Promise<void> {
  const found: Record<string, Adoption | string> = {};
  for (const agent of chosen)
    for (const [name, people] of [
      ['one person', ['Dana Developer']],
      ['three people', ['Ann Able', 'Ben Brisk', 'Cem Cool']],
    ] as const) {
      const says = await adoption(agent, people).catch((error: unknown) => messageOf(error));
      console.log(`${agent.product}, ${name}: ${typeof says === 'string' ? `FAILED\n${says}` : 'ok'}`);
      found[`${agent.product}, ${name}`] = says;
    }
  console.log(JSON.stringify(found));
  const all = Object.values(found);
  process.exit(all.length > 0 && all.every((one) => typeof one !== 'string') ? 0 : 1);
}

/** Throws with the reason if no advice arrives. */
async function adoption(agent: AgentProgram, people: readonly string[]): Promise<Adoption> {
  const began = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'adoption-'));
  mkdirSync(join(folder, 'server'));
  const server = new BuiltServer({ folder: join(folder, 'server'), databaseUrl: undefined });
  const model = await startModel();
  let steps = 0;
  try {
    const command = agent.start(install(cache, agent.package), newNode(cache));
    await server.start();
    const machines: Machine[] = [];
    for (const person of people) {
      const machine = new Machine(join(folder, person.replace(' ', '-')), agent, command, newNode(cache), model.url);
      writeFileSync(join(machine.project, 'export.py'), 'print(1)\n');
      const signedIn = { GUILDBOOK_SERVER: server.url, GUILDBOOK_TOKEN: await server.reviewer(person) };
      const connected = await machine.guildbook(['connect', agent.product, '--yes'], signedIn);
      if (connected.status !== 0) throw new Error(`connect ended with ${connected.status}:\n${connected.stderr}`);
      if (machines.push(machine) === 1) console.log(connected.stdout);
      steps += 1;
    }
    for (const [n, task] of TASKS.slice(0, MOST_SESSIONS).entries()) {
      const sent = await session(machines[n % machines.length], model, task);
      if (isAdvised(sent)) throw new Error(`advised in session ${n + 1}, before anything was learned`);
      await until('the report of the session', REPORTED_MS, async () => (await executions(server)) > n);
      steps += 1;
    }
    const id = await until('a proposal', PROPOSED_MS, async () => {
      const { body } = await server.call('GET', '/v1/proposals?state=pending', { token: server.adminToken });
      return ProposalPage.parse(body).items[0]?.id;
    });
    await server.approve(id, server.adminToken);
    steps += 1;
    const sent = await session(machines[0], model, 'Export the figures of April.');
    if (!isAdvised(sent)) throw new Error(`no advice at the failure; the model was sent:\n${sent.slice(-3_000)}`);
    const seconds = Math.round((performance.now() - began) / 1_000);
    return { steps: steps + 1, humanActs: 1, sessionsToAdvice: MOST_SESSIONS, seconds };
  } finally {
    await Promise.all([server.stop(), model.close()]);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** One session in which the command fails and another one works. Returns all that the model was sent. */
async function session(machine: Machine | undefined, model: ScriptedModel, task: string): Promise<string> {
  model.requests.length = 0;
  model.script = [{ shell: FAILING }, { shell: WORKING }, { text: 'The export is done.' }];
  const finished = await machine?.work(task);
  if (finished?.status !== 0) throw new Error(`the session ended with ${finished?.status}:\n${finished?.stderr}`);
  return model.requests.join('\n');
}

/** The lesson is in what the model was sent, beside the failure. */
const isAdvised = (sent: string): boolean => /\bRun\b[^"]{0,20}python3[^"]{0,60}instead of/.test(sent);

async function executions(server: BuiltServer): Promise<number> {
  const { body } = await server.call('GET', '/v1/executions/status', { token: server.adminToken });
  return z.object({ executions: z.number() }).parse(body).executions;
}

async function until<T>(what: string, limitMs: number, look: () => Promise<T | undefined | false>): Promise<T> {
  for (const deadline = performance.now() + limitMs; performance.now() < deadline; await sleep(500)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
  }
  throw new Error(`${what} did not come within ${limitMs / 1_000} s`);
}

if (values.install) installPrograms(cache, chosen);
else await runAll();
