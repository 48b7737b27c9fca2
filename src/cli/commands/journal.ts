import type { Command } from 'commander';
import { type ConnectionOptions, connect } from '../session.js';
import { print, printError, printJson, table } from '../terminal.js';

export function journalCommands(program: Command): void {
  const journal = program.command('journal').description('who did what');
  journal
    .command('list', { isDefault: true })
    .description('the newest entries')
    .option('--limit <n>', 'how many', '30')
    .option('--action <action>', 'only this action, such as approval.approved')
    .action((query: { limit: string; action?: string }) => list(program.opts<ConnectionOptions>(), query));
  journal
    .command('verify')
    .description('walk the hash chain; exit status 1 when it is broken')
    .action(() => verify(program.opts<ConnectionOptions>()));
}

async function list(options: ConnectionOptions, query: { limit: string; action?: string }): Promise<void> {
  const { items } = await (await connect(options)).journal.list({ ...query, order: 'newest' });
  if (options.json) return printJson(items);
  print(
    table(
      ['seq', 'at', 'who', 'what', 'subject'],
      items.map((e) => [e.seq, e.at, `${e.actor.kind} ${e.actor.name}`, e.action, `${e.subject.type} ${e.subject.id}`]),
    ),
  );
}

async function verify(options: ConnectionOptions): Promise<void> {
  const answer = await (await connect(options)).journal.verify();
  if (options.json) printJson(answer);
  else if (answer.intact)
    print(`The journal is intact: ${answer.entries} entries, head ${answer.head.seq}:${answer.head.hash}`);
  if (answer.intact) return;
  printError(`The journal is broken at entry ${answer.firstBroken?.seq}: ${answer.firstBroken?.reason}`);
  process.exitCode = 1;
}
