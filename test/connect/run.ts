import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../../src/platform/base/error-text.js';
import { BuiltServer } from '../attacks/built-server.js';
import { type Installed, install } from '../consumers/install.js';
import { Checks, type SectionFigures, secondsSince } from '../install/checks.js';
import { Machine } from './machine.js';
import type { AgentProgram } from './products.js';
import { chosenPrograms, installPrograms, newNode } from './programs.js';
import { CONFIGURED_REMOTE, PublishedSkills, proposeSkills, SHOWN_REMOTE } from './published-skills.js';
import { Relay } from './relay.js';
import { startModel } from './scripted-model.js';
import { checkFailures, checkGate, checkLessons, checkServer, checkUndo } from './session-checks.js';
import { checkNoAccess, checkServerSkills, checkSkills } from './skills-checks.js';

const { values } = parseArgs({
  options: {
    cache: { type: 'string', default: join(tmpdir(), 'guildbook-consumer-cache') },
    only: { type: 'string', multiple: true, default: [] },
    install: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
const { cache } = values;
const chosen = chosenPrograms(values.only);

if (values.install) installPrograms(cache, chosen);
else await runAll();

interface ProductOutcome extends SectionFigures {
  readonly product: string;
  readonly version: string | null;
}

async function runAll(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'connected-agents-'));
  mkdirSync(join(folder, 'server'));
  const settings = { GUILDBOOK_SKILLS_REMOTE: CONFIGURED_REMOTE };
  const server = new BuiltServer({ folder: join(folder, 'server'), databaseUrl: undefined, settings });
  const outcomes: ProductOutcome[] = [];
  const notTried: string[] = [];
  const proposals = await proposeSkills(server.dataDir, 2 * chosen.length + 1);
  await server.start();
  let skills: PublishedSkills | undefined;
  try {
    const token = await server.reviewer('Rita Review');
    skills = await PublishedSkills.of(server, token, proposals);
    await skills.publishNext();
    for (const agent of chosen) {
      const checks = new Checks(agent.product, false);
      const began = performance.now();
      const version = await runOne(checks, agent, join(folder, agent.product), server, token, skills);
      checks.figures.seconds = secondsSince(began);
      outcomes.push({ product: agent.product, version: version ?? null, ...checks.figures });
      notTried.push(...checks.notTried);
    }
  } finally {
    await Promise.all([server.stop(), skills?.close()]);
    if (!values.keep) rmSync(folder, { recursive: true, force: true });
  }
  const sum = (figure: 'checks' | 'failed') => outcomes.reduce((total, outcome) => total + outcome[figure], 0);
  const products = outcomes.filter(({ version }) => version !== null);
  console.log(JSON.stringify({ checks: sum('checks'), failed: sum('failed'), products, notTried }));
  process.exit(sum('failed') === 0 && products.length > 0 ? 0 : 1);
}

async function runOne(
  checks: Checks,
  agent: AgentProgram,
  folder: string,
  server: BuiltServer,
  token: string,
  skills: PublishedSkills,
): Promise<string | undefined> {
  let installed: Installed;
  let command: readonly string[];
  let node: string;
  try {
    installed = install(cache, agent.package);
    node = newNode(cache);
    command = agent.start(installed, node);
  } catch (error) {
    checks.skip('the program', messageOf(error));
    return undefined;
  }
  const [relay, model] = [new Relay(server.url), await startModel()];
  await relay.start();
  const machine = new Machine(folder, agent, command, node, model.url);
  const signedIn = { GUILDBOOK_SERVER: relay.url, GUILDBOOK_TOKEN: token };
  const stage = { machine, agent, relay, model, signedIn, skills };
  machine.setAccess(SHOWN_REMOTE, skills.url);
  try {
    const withRemote = [checkLessons, checkSkills, checkServer, checkGate, checkFailures, checkUndo, checkNoAccess];
    for (const part of [...withRemote, checkServerSkills])
      await checks.check('the part runs to its end', () => part(checks, stage));
  } finally {
    await Promise.all([relay.close(), model.close()]);
  }
  return installed.version;
}
