import type { Command } from 'commander';
import { type ConnectionOptions, connect } from '../server/session.js';
import { print, printJson, table } from '../terminal/terminal.js';

export function statusCommand(program: Command): void {
  program
    .command('status')
    .description('show the state of learning, the queue and the skills repository')
    .action(() => status(program.opts<ConnectionOptions>()));
}

async function status(options: ConnectionOptions): Promise<void> {
  const client = await connect(options);
  const learning = await client.executions.status();
  const { total: lessons } = await client.lessons({ limit: 1 });
  const { total: pending } = await client.proposals.list({ limit: 1 });
  const { total: skills } = await client.skills.list();
  const { history, remote, findings } = await client.repository();
  if (options.json) return printJson({ ...learning, lessons, pending, skills, history, remote, findings });
  print(
    table(
      ['kind', 'count'],
      [
        ['executions', learning.executions],
        ['executions pending for capture', learning.awaitingCapture],
        ['executions pending for the proposer', learning.awaitingProposal],
        ['private lessons', lessons],
        ['pending proposals', pending],
        ['approved skills', skills],
      ],
    ),
  );
  if (learning.skipped.length > 0) {
    print('\nSkipped executions:');
    print(
      table(
        ['reason', 'executions'],
        learning.skipped.map(({ reason, count }) => [reason, count]),
      ),
    );
  }
  if (remote)
    print(
      `\nRemote, branch ${remote.branch}: ${remote.state}${remote.commit ? ` at ${remote.commit.slice(0, 10)}` : ''}` +
        `${remote.reason ? ` (${remote.reason}; next attempt ${remote.nextAttempt ?? 'with the next publication'})` : ''}`,
    );
  if (history.held)
    print(
      `\nNot pushed: ${history.held.commit} and what follows it on main, which the decisions do not explain. Decisions are` +
        ' pushed without it. See "Commits by hand" in docs/skills-repository.md.',
    );
  if (history.setAside.length > 0)
    print(`\nSet aside from main, each kept as refs/guildbook/held/<commit>: ${history.setAside.join(', ')}`);
  if (findings.length > 0) {
    print('\nThe skills repository differs from the decisions. Guildbook changes nothing until a person decides:');
    print(
      table(
        ['difference', 'where', 'proposal', 'problem'],
        findings.map(({ kind, subject, proposalId: approval, problem }) => [
          kind,
          subject,
          approval?.slice(0, 8) ?? '',
          problem ?? '',
        ]),
      ),
    );
  }
}
