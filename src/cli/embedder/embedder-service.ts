import type { Command } from 'commander';
import type { ActiveEmbedder, GuardedOperation } from '../../tuning/checkpoints/tuning.schema.js';
import { checkpointId } from '../server/names.js';
import { answer, type ConnectionOptions, printList } from '../server/session.js';
import { CliError, EXIT } from '../terminal/cli-error.js';
import { oneLine, print } from '../terminal/terminal.js';

interface GuardOptions {
  readonly confirm?: boolean;
  readonly reason: string;
}

/** What is in service, and the operations that end or replace something. */
export function embedderServiceCommands(embedder: Command, connection: () => ConnectionOptions): void {
  embedder
    .command('active')
    .description('show the embedder in service')
    .action(() => answer(connection(), (client) => client.tuning.active(), printActive));
  embedder
    .command('checkpoints')
    .description('list what the runs made')
    .action(() =>
      printList(
        connection(),
        (client) => client.tuning.checkpoints(),
        ['checkpoint', 'name', 'kind', 'created', 'gain', 'state'],
        ({ id, name, kind, createdAt, measures, active, deletedAt }) => [
          ...[id, name, kind, createdAt, measures['gateGain']?.toFixed(4) ?? ''],
          active ? 'in service' : deletedAt === null ? '' : 'deleted',
        ],
        'No checkpoints yet. Make one with: guildbook embedder train',
      ),
    );
  guarded(embedder.command('cancel').description('cancel the active run')).action((options: GuardOptions) =>
    cancel(connection(), options),
  );
  guarded(
    embedder
      .command('rollback <checkpoint>')
      .description('put a checkpoint in service; "configured" for the embedder of the settings'),
  ).action((given: string, options: GuardOptions) => rollback(connection(), given, options));
  guarded(
    embedder.command('delete <checkpoint>').description('delete the model of a checkpoint that is not in service'),
  ).action((given: string, options: GuardOptions) => remove(connection(), given, options));
}

const guarded = (command: Command): Command =>
  command.option('--confirm', 'do it').requiredOption('--reason <reason>', 'why, for the journal');

/** Nothing is done without the word: what it ends or replaces is used by every agent. */
function guardOf({ confirm, reason }: GuardOptions): GuardedOperation {
  if (confirm !== true) throw new CliError(EXIT.usage, 'usage.confirm', 'Add --confirm to do this.');
  return { confirm, reason };
}

function printActive(found: ActiveEmbedder): void {
  print(oneLine(`${found.name}${found.checkpointId === null ? '' : ` (checkpoint ${found.checkpointId})`}`));
  print(`weight ${found.weight}, minimum similarity ${found.minSimilarity}`);
  if (found.name !== found.configured) print(oneLine(`configured: ${found.configured}`));
  if (found.next !== null) print(oneLine(nextText(found.next)));
  if (found.problem !== null) print(oneLine(found.problem));
}

const nextText = (name: string): string => `next: ${name}, once every memory has its vector`;

async function cancel(connection: ConnectionOptions, options: GuardOptions): Promise<void> {
  const operation = guardOf(options);
  return answer(
    connection,
    (client) => client.tuning.cancel(operation),
    ({ cancelled }) => print(cancelled === null ? 'No run was active.' : `Cancelled: ${cancelled}`),
  );
}

async function rollback(connection: ConnectionOptions, given: string, options: GuardOptions): Promise<void> {
  const operation = guardOf(options);
  return answer(
    connection,
    async (client) =>
      client.tuning.rollback(given === 'configured' ? given : await checkpointId(client, given), operation),
    ({ name, next }) => {
      print(oneLine(`In service: ${name}`));
      if (next !== null) print(oneLine(nextText(next)));
    },
  );
}

async function remove(connection: ConnectionOptions, given: string, options: GuardOptions): Promise<void> {
  const operation = guardOf(options);
  return answer(
    connection,
    async (client) => client.tuning.delete(await checkpointId(client, given), operation),
    ({ name }) => print(oneLine(`Deleted: ${name}`)),
  );
}
