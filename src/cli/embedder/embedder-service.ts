import type { Command } from 'commander';
import type { GuardedOperation } from '../../tuning/checkpoints/tuning.schema.js';
import { checkpointId } from '../server/names.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { CliError } from '../terminal/cli-error.js';
import { EXIT } from '../terminal/exit-codes.js';
import { oneLine, print, printJson, table } from '../terminal/terminal.js';

interface GuardOptions {
  readonly confirm?: boolean;
  readonly reason: string;
}

/** What is in service, and the operations that end or replace something. */
export function embedderServiceCommands(embedder: Command, connection: () => ConnectionOptions): void {
  embedder
    .command('active')
    .description('show the embedder in service')
    .action(() => active(connection()));
  embedder
    .command('checkpoints')
    .description('list what the runs made')
    .action(() => checkpoints(connection()));
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

async function active(connection: ConnectionOptions): Promise<void> {
  const found = await (await connect(connection)).tuning.active();
  if (connection.json) return printJson(found);
  print(oneLine(`${found.name}${found.checkpointId === null ? '' : ` (checkpoint ${found.checkpointId})`}`));
  print(`weight ${found.weight}, minimum similarity ${found.minSimilarity}`);
  if (found.name !== found.configured) print(oneLine(`configured: ${found.configured}`));
  if (found.next !== null) print(oneLine(nextText(found.next)));
  if (found.problem !== null) print(oneLine(found.problem));
}

const nextText = (name: string): string => `next: ${name}, once every memory has its vector`;

async function checkpoints(connection: ConnectionOptions): Promise<void> {
  const { items } = await (await connect(connection)).tuning.checkpoints();
  if (connection.json) return printJson(items);
  if (items.length === 0) return print('No checkpoints yet. Make one with: guildbook embedder train');
  print(
    table(
      ['checkpoint', 'name', 'kind', 'created', 'gain', 'state'],
      items.map(({ id, name, kind, createdAt, measures, active: isActive, deletedAt }) =>
        [id, name, kind, createdAt, measures['gateGain']?.toFixed(4) ?? '', stateOf(isActive, deletedAt)].map(oneLine),
      ),
    ),
  );
}

const stateOf = (isActive: boolean, deletedAt: string | null): string =>
  isActive ? 'in service' : deletedAt === null ? '' : 'deleted';

async function cancel(connection: ConnectionOptions, options: GuardOptions): Promise<void> {
  const operation = guardOf(options);
  const found = await (await connect(connection)).tuning.cancel(operation);
  if (connection.json) return printJson(found);
  print(found.cancelled === null ? 'No run was active.' : `Cancelled: ${found.cancelled}`);
}

async function rollback(connection: ConnectionOptions, given: string, options: GuardOptions): Promise<void> {
  const operation = guardOf(options);
  const client = await connect(connection);
  const target = given === 'configured' ? given : await checkpointId(client, given);
  const found = await client.tuning.rollback(target, operation);
  if (connection.json) return printJson(found);
  print(oneLine(`In service: ${found.name}`));
  if (found.next !== null) print(oneLine(nextText(found.next)));
}

async function remove(connection: ConnectionOptions, given: string, options: GuardOptions): Promise<void> {
  const operation = guardOf(options);
  const client = await connect(connection);
  const found = await client.tuning.delete(await checkpointId(client, given), operation);
  if (connection.json) return printJson(found);
  print(oneLine(`Deleted: ${found.name}`));
}
