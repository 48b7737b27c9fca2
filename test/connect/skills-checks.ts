import type { Checks } from '../install/checks.js';
import { expectSame, expectText } from '../install/checks.js';
import { SHOWN_REMOTE } from './published-skills.js';
import { connect, expectEnded, type Stage, session } from './session-checks.js';

const sourceOf = ({ agent, relay }: Stage): string =>
  agent.product === 'opencode' ? `${relay.url}/.well-known/agent-skills/` : SHOWN_REMOTE;

/** The published skills are installed by the same command, and the model is offered them. */
export async function checkSkills(checks: Checks, stage: Stage): Promise<void> {
  const { machine, agent, skills } = stage;
  const installed = { state: 'installed', from: sourceOf(stage), ownKept: [] };
  const offered = async (): Promise<string> => {
    const found = await session(stage, 'nothing');
    expectEnded(found);
    return found.sent;
  };
  await checks.check('the published skills are installed, and the model is offered each of them', async () => {
    const published = [...skills.marks];
    expectSame((await connect(stage))['skills'], installed, 'what it says');
    const sent = await offered();
    for (const mark of published) expectText(sent, mark, 'the requests');
  });
  await checks.check('a skill that is approved later arrives when the command is run again', async () => {
    const mark = await skills.publishNext();
    expectSame((await connect(stage))['skills'], installed, 'what it says');
    expectText(await offered(), mark, 'the requests');
  });
  await checks.check('--check and --list say where they come from', async () => {
    const checked = await machine.guildbook(['connect', agent.product, '--check', '--json']);
    expectSame(JSON.parse(checked.stdout).skills, { from: sourceOf(stage), isThere: true }, 'what --check says');
    const listed = await machine.guildbook(['connect', '--list', '--json']);
    const own = JSON.parse(listed.stdout).find(({ product }: { product: string }) => product === agent.product);
    expectSame(own.skills, { from: sourceOf(stage), isThere: true }, 'what --list says');
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
  if (agent.product === 'opencode') return;
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
