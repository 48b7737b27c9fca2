import type { Command } from 'commander';
import { type ConnectionOptions, connect } from '../server/session.js';
import { print, printJson, table } from '../terminal/terminal.js';

export function statusCommand(program: Command): void {
  program
    .command('status')
    .description('how far the learning has come, and what did not teach')
    .action(() => status(program.opts<ConnectionOptions>()));
}

async function status(options: ConnectionOptions): Promise<void> {
  const client = await connect(options);
  const learning = await client.executions.status();
  const { total: lessons } = await client.lessons({ limit: 1 });
  const { total: pending } = await client.proposals.list({ limit: 1 });
  const { total: skills } = await client.skills.list();
  const { remote, findings } = await client.repository();
  if (options.json) return printJson({ ...learning, lessons, pending, skills, remote, findings });
  print(
    table(
      ['what', 'count'],
      [
        ['executions', learning.executions],
        ['waiting for capture', learning.awaitingCapture],
        ['waiting for the proposer', learning.awaitingProposal],
        ['private lessons', lessons],
        ['proposals to decide', pending],
        ['approved skills', skills],
      ],
    ),
  );
  if (learning.skipped.length > 0) {
    print('\nDid not teach:');
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
        `${remote.reason ? ` (${remote.reason}; next try ${remote.nextAttempt ?? 'with the next publication'})` : ''}`,
    );
  if (findings.length > 0) {
    print(
      '\nThe skills repository differs from what was decided (nothing of this is touched before a person decides):',
    );
    print(
      table(
        ['difference', 'where', 'waits as', 'what is in the way'],
        findings.map(({ kind, subject: what, approval, problem }) => [
          kind,
          what,
          approval?.slice(0, 8) ?? '',
          problem ?? '',
        ]),
      ),
    );
  }
}
