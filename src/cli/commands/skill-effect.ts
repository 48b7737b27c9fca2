import { type Command, Option } from 'commander';
import type { SkillEffect } from '../../effect/effect.schema.js';
import { SystemClock } from '../../platform/base/clock.js';
import { SetRollout } from '../../skills/delivery/rollout.schema.js';
import { type SkillUse, USE_EVENTS, USE_OUTCOMES } from '../../skills/delivery/skill-use.schema.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { oneLine, print, printJson, table } from '../terminal/terminal.js';

interface UseOptions {
  execution: string;
  event: SkillUse['event'];
  outcome: SkillUse['outcome'];
  at?: string;
  agent?: string;
}

/** `guildbook skills effect`, `… rollout` and `… use`. */
export function skillEffectCommands(program: Command, skills: Command): void {
  const connection = () => program.opts<ConnectionOptions>();
  skills
    .command('effect [name]')
    .description('whether a skill helps: failures with it and without; without a name, all of them')
    .action((name?: string) => (name === undefined ? effects(connection()) : effect(connection(), name)));
  skills
    .command('rollout <name> <percent>')
    .description('say which share of the agents receives it over HTTP: 5, 25 or 100')
    .action((name: string, percent: string) => rollout(connection(), name, percent));
  skills
    .command('use <name>')
    .description('report that an agent was offered a skill, loaded it or applied it')
    .requiredOption('--execution <id>', 'the execution in which it did')
    .addOption(new Option('--event <event>', 'what it did').choices(USE_EVENTS).default('applied'))
    .addOption(new Option('--outcome <outcome>', 'how it ended').choices(USE_OUTCOMES).default('unknown'))
    .option('--at <time>', 'when, ISO 8601 (default: now)')
    .option('--agent <name>', 'for importers: the agent')
    .action((name: string, options: UseOptions) => use(connection(), name, options));
}

async function use(connection: ConnectionOptions, name: string, options: UseOptions): Promise<void> {
  const { execution: executionId, event, outcome, at = new SystemClock().now().toISOString(), agent } = options;
  const received = await (await connect(connection)).skills.use(name, { executionId, event, outcome, at }, agent);
  if (connection.json) return printJson(received);
  print(`${received.duplicate ? 'Was reported before' : 'Reported'}: ${received.agent}, ${event} ${name}`);
}

async function rollout(connection: ConnectionOptions, name: string, given: string): Promise<void> {
  const parsed = SetRollout.safeParse({ percent: Number(given) });
  if (!parsed.success) throw new Error(`The share of the agents ${parsed.error.issues[0]?.message}.`);
  const stage = await (await connect(connection)).skills.rollout(name, parsed.data.percent);
  if (connection.json) return printJson(stage);
  print(`${name} v${stage.version}: ${stage.percent} % of the agents receive it, since ${stage.since}.`);
}

async function effects(connection: ConnectionOptions): Promise<void> {
  const { items } = await (await connect(connection)).skills.effects();
  if (connection.json) return printJson(items);
  if (items.length === 0) return print('No skills yet. Approve a proposal: guildbook proposals list');
  print(
    table(
      ['name', 'version', 'stage', 'verdict', 'with', 'without', 'applied'],
      items.map((s) => [
        s.name,
        s.version,
        `${s.percent} %`,
        s.compared.length === 0 ? 'never withheld' : s.figures.verdict,
        rate(s.figures.with),
        rate(s.figures.without),
        s.uses.applied,
      ]),
    ),
  );
}

const rate = (arm: SkillEffect['figures']['with']): string => `${arm.failures} of ${arm.executions}`;

async function effect(connection: ConnectionOptions, name: string): Promise<void> {
  const skillEffect = await (await connect(connection)).skills.effect(name);
  if (connection.json) return printJson(skillEffect);
  const { uses } = skillEffect;
  print(
    `${name} v${skillEffect.version}${skillEffect.live ? '' : ', retired'}: ${skillEffect.percent} % since ${skillEffect.since.slice(0, 10)}`,
  );
  print(oneLine(skillEffect.says));
  for (const { percent, since, until } of skillEffect.compared)
    print(`Compared at ${percent} %: ${since.slice(0, 10)} to ${until?.slice(0, 10) ?? 'now'}`);
  print(
    `Offered ${uses.offered}, loaded ${uses.loaded}, applied ${uses.applied} times by ${uses.agents} agents; of the ` +
      `applications ${uses.outcomes.success} succeeded, ${uses.outcomes.failure} failed, ${uses.outcomes.unknown} unknown.`,
  );
  if (uses.withheldAgents > 0) print(`${uses.withheldAgents} agents used it that were to do without.`);
}
