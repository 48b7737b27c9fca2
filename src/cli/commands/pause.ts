import { type Command, InvalidArgumentError } from 'commander';
import type { Guildbook } from '../../client/guildbook.js';
import { present } from '../../platform/base/optional.js';
import type { DeliveryPause } from '../../skills/delivery/delivery-pause.schema.js';
import { pauseId, personId } from '../server/names.js';
import { answer, type ConnectionOptions, connect } from '../server/session.js';
import { pauseText } from '../terminal/pause-text.js';
import { oneLine, print, printJson } from '../terminal/terminal.js';

interface PauseOptions {
  readonly project?: string;
  readonly session?: string;
  readonly for?: number;
  readonly person?: string;
}

export function pauseCommands(program: Command): void {
  program
    .command('pause')
    .description('pause what Guildbook tells your agents over their hooks; reports go on')
    .option('--project <name>', 'only in this project: its folder, or its repository as owner/name')
    .option('--session <id>', 'only in this session')
    .option('--for <hours>', 'end the pause by itself after these hours', parseHours)
    .option('--person <person>', 'the owner of the agents (only for administrators; default: you)')
    .action((options: PauseOptions) => pause(program.opts<ConnectionOptions>(), options));
  program
    .command('resume [pause]')
    .description('end a pause; without an id or a project, all pauses of your agents')
    .action((given?: string) => resume(program.opts<ConnectionOptions>(), given));
}

function parseHours(text: string): number {
  if (!/^\d{1,5}(?:\.\d{1,2})?$/.test(text)) throw new InvalidArgumentError('Enter a number of hours.');
  return Number(text);
}

const pause = (
  connection: ConnectionOptions,
  { project, session: sessionId, for: hours, person }: PauseOptions,
): Promise<void> =>
  answer(
    connection,
    async (client) =>
      client.pauses.add({
        ...present({ project, sessionId, hours }),
        ...(person === undefined ? {} : { personId: await personId(client, person) }),
      }),
    (added) => print(oneLine(`Paused: ${pauseText(added)}. To resume: guildbook resume ${added.id.slice(0, 8)}`)),
  );

async function resume(connection: ConnectionOptions, given?: string): Promise<void> {
  const client = await connect(connection);
  const ended = given === undefined ? await ownPauses(client) : [{ id: await pauseId(client, given) }];
  for (const { id } of ended) await client.pauses.end(id);
  if (connection.json) return printJson({ resumed: ended.map(({ id }) => id) });
  if (ended.length === 0) return print('Nothing is paused.');
  for (const { id } of ended) print(`Resumed: ${id}`);
}

async function ownPauses(client: Guildbook): Promise<DeliveryPause[]> {
  const [{ principal }, { items }] = [await client.me(), await client.pauses.list()];
  return items.filter(({ person }) => person.id === principal.id);
}
