import type { Command } from 'commander';
import type { ConsolidationPause } from '../../consolidate/store/consolidation-run.schema.js';
import { agentId, consolidationPauseId } from '../server/names.js';
import { answer, type ConnectionOptions, connect, printList } from '../server/session.js';
import { oneLine, print, printJson } from '../terminal/terminal.js';

export function consolidatePauseCommands(consolidate: Command, connection: () => ConnectionOptions): void {
  consolidate
    .command('pause')
    .description('keep the memory of one agent, or of all, as it is until you resume')
    .option('--agent <agent>', 'only this agent, by name or id')
    .action((_options: unknown, command: Command) => pause(connection(), agentOf(command)));
  consolidate
    .command('resume [agent]')
    .description('end the pause of an agent, or the pause with this id; without one, all pauses')
    .action((given?: string) => resume(connection(), given));
  consolidate
    .command('pauses')
    .description('list whose consolidation is paused')
    .action(() =>
      printList(
        connection(),
        (client) => client.consolidation.pauses(),
        ['pause', 'of', 'since'],
        (one) => [one.id, whose(one), one.since],
        'Nothing is paused.',
      ),
    );
}

/** `--agent` is an option of `consolidate` too, which takes it wherever it stands. */
const agentOf = (command: Command): string | undefined => command.optsWithGlobals<{ agent?: string }>().agent;

const pause = (connection: ConnectionOptions, agent: string | undefined): Promise<void> =>
  answer(
    connection,
    async (client) => client.consolidation.pause(agent === undefined ? {} : { agentId: await agentId(client, agent) }),
    (added) =>
      print(oneLine(`Paused: ${whose(added)}. To resume: guildbook consolidate resume ${added.id.slice(0, 8)}`)),
  );

async function resume(connection: ConnectionOptions, given?: string): Promise<void> {
  const client = await connect(connection);
  const ids =
    given === undefined
      ? (await client.consolidation.pauses()).items.map(({ id }) => id)
      : [await consolidationPauseId(client, given)];
  for (const id of ids) await client.consolidation.resume(id);
  if (connection.json) return printJson({ resumed: ids });
  if (ids.length === 0) return print('Nothing is paused.');
  for (const id of ids) print(`Resumed: ${id}`);
}

const whose = ({ agent, agentId: id }: ConsolidationPause): string => agent ?? id ?? 'all agents';
