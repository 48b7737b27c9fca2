import type { Command } from 'commander';
import { answer, type ConnectionOptions, printList } from '../server/session.js';
import { print } from '../terminal/terminal.js';
import { skillEffectCommands } from './skill-effect.js';

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
