import { type Command, Option } from 'commander';
import type { SkillEffect } from '../../effect/effect.schema.js';
import { SystemClock } from '../../platform/base/clock.js';
import { SetRollout } from '../../skills/delivery/rollout.schema.js';
import { type SkillUse, USE_EVENTS, USE_OUTCOMES } from '../../skills/delivery/skill-use.schema.js';
import { answer, type ConnectionOptions, printList } from '../server/session.js';
import { invalidArgument } from '../terminal/cli-error.js';
import { momentLines } from '../terminal/moment-text.js';
import { formatCount, oneLine, print } from '../terminal/terminal.js';

export function skillCommands(program: Command): void {
  const connection = () => program.opts<ConnectionOptions>();
  const skills = program.command('skills').description('list, read and retire approved skills');
  skills
    .command('list', { isDefault: true })
    .description('list skills')
    .action(() =>
      printList(
        connection(),
        (client) => client.skills.list(),
        ['name', 'version', 'approved by', 'approved on', 'commit'],
        ({ name, version, approvedBy, approvedAt, publication: { commit, state } }) => [
          name,
          version,
          approvedBy,
          approvedAt.slice(0, 10),
          commit?.slice(0, 10) ?? state,
        ],
        'No skills yet. Approve a proposal: guildbook proposals list',
      ),
    );
  skills
    .command('show <skill>')
    .description('show the SKILL.md as approved and committed')
    .action((name: string) =>
      answer(
        connection(),
        (client) => client.skills.show(name),
        ({ artifact, history }) => {
          print(artifact);
          for (const { commit, author, when, subject } of history)
            print(`${commit.slice(0, 10)} ${when} ${author}: ${subject}`);
        },
      ),
    );
  skills
    .command('retire <skill>')
    .description('retire a skill; a commit removes its file')
    .requiredOption('--reason <text>', 'reason, for the journal')
    .action((name: string, { reason }: { reason: string }) =>
      answer(
        connection(),
        async (client) => client.retireSkill((await client.skills.show(name)).proposalId, reason),
        () => print(`Retired ${name}. A commit in your name removes its file.`),
      ),
    );
  skillEffectCommands(skills, connection);
  skills
    .command('rename <skill> <name>')
    .description('propose another name for a skill; the proposal must be approved')
    .action((name: string, to: string) =>
      answer(
        connection(),
        (client) => client.skills.rename(name, to),
        ({ id }) => print(`Submitted a proposal. To read it: guildbook proposals show ${id}`),
      ),
    );
}

interface UseOptions {
  execution: string;
  event: SkillUse['event'];
  outcome: SkillUse['outcome'];
  at?: string;
  agent?: string;
}

/** `guildbook skills effect`, `… rollout` and `… use`. */
function skillEffectCommands(skills: Command, connection: () => ConnectionOptions): void {
  skills
    .command('effect [skill]')
    .description('compare failures with and without a skill; without a name, for all skills')
    .action((name?: string) =>
      name === undefined
        ? effects(connection())
        : answer(
            connection(),
            (client) => client.skills.effect(name),
            (found) => printEffect(name, found),
          ),
    );
  skills
    .command('rollout <skill> <percent>')
    .description('set the percentage of agents that receive the skill over HTTP: 5, 25 or 100')
    .action((name: string, percent: string) => setRollout(connection(), name, percent));
  skills
    .command('use <skill>')
    .description('report that an agent was offered, loaded or applied a skill')
    .requiredOption('--execution <id>', 'id of the execution')
    .addOption(new Option('--event <event>', 'what happened').choices(USE_EVENTS).default('applied'))
    .addOption(new Option('--outcome <outcome>', 'result of the use').choices(USE_OUTCOMES).default('unknown'))
    .option('--at <time>', 'time in ISO 8601 (default: now)')
    .option('--agent <agent>', 'agent name (only for importers)')
    .action((name: string, options: UseOptions) => use(connection(), name, options));
}

async function use(connection: ConnectionOptions, name: string, options: UseOptions): Promise<void> {
  const { execution: executionId, event, outcome, at = new SystemClock().now().toISOString(), agent } = options;
  return answer(
    connection,
    (client) => client.skills.use(name, { executionId, event, outcome, at }, agent),
    (received) => print(`${received.duplicate ? 'Already reported' : 'Reported'}: ${received.agent}, ${event} ${name}`),
  );
}

async function setRollout(connection: ConnectionOptions, name: string, percent: string): Promise<void> {
  const parsed = SetRollout.safeParse({ percent: Number(percent) });
  if (!parsed.success) throw invalidArgument(`<percent>: ${parsed.error.issues[0]?.message}.`);
  return answer(
    connection,
    (client) => client.skills.rollout(name, parsed.data.percent),
    (rollout) =>
      print(`${name} v${rollout.version}: ${rollout.percent} % of agents receive it since ${rollout.since}.`),
  );
}

const effects = (connection: ConnectionOptions): Promise<void> =>
  printList(
    connection,
    (client) => client.skills.effects(),
    ['name', 'version', 'rollout', 'verdict', 'with', 'without', 'applied'],
    ({ name, version, percent, compared, figures, uses }) => [
      ...[name, version, `${percent} %`, compared.length === 0 ? 'no control group' : figures.verdict],
      ...[rate(figures.with), rate(figures.without), uses.applied],
    ],
    'No skills yet. Approve a proposal: guildbook proposals list',
  );

/** "1 time", "2 times". */
const times = (count: number): string => formatCount(count, 'time');

const rate = (arm: SkillEffect['figures']['with']): string => `${arm.failures} of ${arm.executions}`;

function printEffect(name: string, skillEffect: SkillEffect): void {
  const { uses } = skillEffect;
  print(
    `${name} v${skillEffect.version}${skillEffect.live ? '' : ', retired'}: ${skillEffect.percent} % since ${skillEffect.since.slice(0, 10)}`,
  );
  print(oneLine(skillEffect.says));
  for (const { percent, since, until } of skillEffect.compared)
    print(`Compared at ${percent} %: ${since.slice(0, 10)} to ${until?.slice(0, 10) ?? 'now'}`);
  print(
    `Used by ${formatCount(uses.agents, 'agent')}: offered ${times(uses.offered)}, loaded ${times(uses.loaded)}, ` +
      `applied ${times(uses.applied)} (${uses.outcomes.success} successful, ${uses.outcomes.failure} failed, ` +
      `${uses.outcomes.unknown} with unknown result).`,
  );
  if (uses.withheldAgents > 0)
    print(`${formatCount(uses.withheldAgents, 'agent')} outside the rollout used it anyway.`);
  for (const line of skillEffect.moments.flatMap(momentLines)) print(line);
}
