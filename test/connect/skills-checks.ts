import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Checks } from '../install/checks.js';
import { expectSame, expectText } from '../install/checks.js';
import { SHOWN_REMOTE } from './published-skills.js';
import { connect, expectEnded, type Stage, session } from './session-checks.js';

/** Gemini CLI and OpenCode have no marketplace: their skills are copied from the server, also beside a git remote. */
const isCopied = ({ agent }: Stage): boolean => ['gemini', 'opencode'].includes(agent.product);
const indexOf = ({ relay }: Stage): string => `${relay.url}/.well-known/agent-skills/`;
const sourceOf = (stage: Stage): string => (isCopied(stage) ? indexOf(stage) : SHOWN_REMOTE);
const FOLDERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['claude-code', 'opencode', 'copilot'].map((product) => [
      product,
      `.local/share/guildbook/plugins/${product}/guildbook/skills`,
    ]),
  ),
  codex: '.codex/skills',
  gemini: '.gemini/skills',
};

async function offered(stage: Stage): Promise<string> {
  const found = await session(stage, 'nothing');
  expectEnded(found);
  return found.sent;
}

/** Connects, and compares what it says about the skills. */
async function expectSkills(stage: Stage, state: string, from: string): Promise<void> {
  const said = fieldsOf((await connect(stage))['skills']);
  expectSame([said['state'], said['from'], said['problems'] ?? []], [state, from, []], 'what it says');
}
const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  // A value of JSON that is an object has string keys.
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

/** The published skills are installed by the same command, and the model is offered them. */
export async function checkSkills(checks: Checks, stage: Stage): Promise<void> {
  const { machine, agent, skills } = stage;
  const state = isCopied(stage) ? 'synced' : 'installed';
  await checks.check('the published skills are installed, and the model is offered each of them', async () => {
    const published = [...skills.marks];
    await expectSkills(stage, state, sourceOf(stage));
    const sent = await offered(stage);
    for (const mark of published) expectText(sent, mark, 'the requests');
  });
  await checks.check('a skill that is approved later arrives when the command is run again', async () => {
    const mark = await skills.publishNext();
    await expectSkills(stage, state, sourceOf(stage));
    expectText(await offered(stage), mark, 'the requests');
  });
  await checks.check('--check and --list say where they come from', async () => {
    const checked = await machine.guildbook(['connect', agent.product, '--check', '--json']);
    const { from, isThere } = JSON.parse(checked.stdout).skills;
    expectSame([from, isThere], [sourceOf(stage), true], 'what --check says');
    const listed = await machine.guildbook(['connect', '--list', '--json']);
    const own = JSON.parse(listed.stdout).find(({ product }: { product: string }) => product === agent.product);
    expectSame([own.skills.from, own.skills.isThere], [sourceOf(stage), true], 'what --list says');
  });
}

/** The server names no git remote: the skills are copied from it, and the start of a session takes newer ones. */
export async function checkServerSkills(checks: Checks, stage: Stage): Promise<void> {
  const { machine, agent, skills, signedIn, relay } = stage;
  const folder = join(machine.home, FOLDERS[agent.product] ?? '');
  relay.namesRemote = false;
  await checks.check('without a remote, the model is offered each of the skills of the server', async () => {
    await expectSkills(stage, 'synced', indexOf(stage));
    const sent = await offered(stage);
    for (const mark of skills.marks) expectText(sent, mark, 'the requests');
  });
  await checks.check('a skill that is approved later arrives by itself after the start of a session', async () => {
    const mark = await skills.publishNext();
    const due = machine.settings().replace(/\.conf$/, '.skills');
    utimesSync(due, 0, 0);
    await offered(stage);
    const isTaken = () => existsSync(folder) && readdirSync(folder).length === skills.marks.length;
    for (let tries = 0; !isTaken() && tries < 150; tries += 1) await sleep(100);
    expectText(await offered(stage), mark, 'the requests');
  });
  await checks.check('and --undo leaves nothing', async () => {
    expectEnded(await machine.guildbook(['connect', agent.product, '--undo'], signedIn));
    expectSame(machine.remains(), [], 'what is left');
    const { sent } = await session(stage, 'nothing');
    expectSame(
      skills.marks.filter((mark) => sent.includes(mark)),
      [],
      'the skills in the requests',
    );
  });
}

/** After `--undo`: the model is offered no skill, and a remote without access leaves the rest connected. */
export async function checkNoAccess(checks: Checks, stage: Stage): Promise<void> {
  const { machine, agent, skills, signedIn, relay } = stage;
  await checks.check('the model is no longer offered a published skill', async () => {
    const { sent } = await session(stage, 'nothing');
    expectSame(
      skills.marks.filter((mark) => sent.includes(mark)),
      [],
      'the skills in the requests',
    );
  });
  if (isCopied(stage)) return;
  machine.setAccess(SHOWN_REMOTE, undefined);
  await checks.check('without access to the remote, it says which command failed and connects the rest', async () => {
    relay.reset('lessons');
    const finished = await machine.guildbook(['connect', agent.product, '--json', '--yes'], signedIn);
    expectSame(finished.status, 1, 'the exit code');
    const { skills: outcome, check } = JSON.parse(finished.stdout);
    expectSame([outcome.state, check.status], ['failed', 200], 'the skills, and the test of the connection');
    expectText(outcome.command, SHOWN_REMOTE, 'the command');
    const found = await session(stage, 'lessons');
    expectEnded(found);
    expectText(found.sent, 'MARK_START', 'the requests');
  });
  await checks.check('and --undo leaves nothing', async () => {
    expectEnded(await machine.guildbook(['connect', agent.product, '--undo'], signedIn));
    expectSame(machine.remains(), [], 'what is left');
  });
}
