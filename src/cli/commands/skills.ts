import type { Command } from 'commander';
import { type ConnectionOptions, connect } from '../server/session.js';
import { print, printJson, table } from '../terminal/terminal.js';
import { skillEffectCommands } from './skill-effect.js';

export function skillCommands(program: Command): void {
  const skills = program.command('skills').description('list, read and retire approved skills');
  skills
    .command('list', { isDefault: true })
    .description('list skills')
    .action(() => list(program.opts<ConnectionOptions>()));
  skills
    .command('show <skill>')
    .description('show the SKILL.md as approved and committed')
    .action((name: string) => show(program.opts<ConnectionOptions>(), name));
  skills
    .command('retire <skill>')
    .description('retire a skill; a commit removes its file')
    .requiredOption('--reason <text>', 'reason, for the journal')
    .action((name: string, options: { reason: string }) =>
      retire(program.opts<ConnectionOptions>(), name, options.reason),
    );
  skillEffectCommands(program, skills);
  skills
    .command('rename <skill> <name>')
    .description('propose another name for a skill; the proposal must be approved')
    .action((name: string, to: string) => rename(program.opts<ConnectionOptions>(), name, to));
}

async function rename(options: ConnectionOptions, name: string, to: string): Promise<void> {
  const proposal = await (await connect(options)).skills.rename(name, to);
  if (options.json) return printJson(proposal);
  print(`Submitted a proposal. To read it: guildbook proposals show ${proposal.id}`);
}

async function retire(options: ConnectionOptions, name: string, reason: string): Promise<void> {
  const client = await connect(options);
  const { proposalId } = await client.skills.show(name);
  const retired = await client.retireSkill(proposalId, reason);
  if (options.json) return printJson(retired);
  print(`Retired ${name}. A commit in your name removes its file.`);
}

async function list(options: ConnectionOptions): Promise<void> {
  const { items } = await (await connect(options)).skills.list();
  if (options.json) return printJson(items);
  if (items.length === 0) return print('No skills yet. Approve a proposal: guildbook proposals list');
  print(
    table(
      ['name', 'version', 'approved by', 'approved on', 'commit'],
      items.map((s) => [
        s.name,
        s.version,
        s.approvedBy,
        s.approvedAt.slice(0, 10),
        s.publication.commit?.slice(0, 10) ?? s.publication.state,
      ]),
    ),
  );
}

async function show(options: ConnectionOptions, name: string): Promise<void> {
  const skill = await (await connect(options)).skills.show(name);
  if (options.json) return printJson(skill);
  print(skill.artifact);
  for (const { commit, author, when, subject } of skill.history)
    print(`${commit.slice(0, 10)} ${when} ${author}: ${subject}`);
}
