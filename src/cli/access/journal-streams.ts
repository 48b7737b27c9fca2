import { type Command, Option } from 'commander';
import { auditStreamOf } from '../server/names.js';
import { answer, type ConnectionOptions, connect, printList } from '../server/session.js';
import { auditStreamState } from '../terminal/audit-stream-text.js';
import { oneLine, print, printJson } from '../terminal/terminal.js';

const BEGINNINGS = ['beginning', 'now'] as const;
type Beginning = (typeof BEGINNINGS)[number];

/** The commands under `guildbook journal streams`. */
export function journalStreamCommands(journal: Command, options: () => ConnectionOptions): void {
  const streams = journal
    .command('streams')
    .description('manage where the journal is sent; a stream is given by its address or id');
  streams
    .command('list', { isDefault: true })
    .description('list streams, with what each receiver has')
    .action(() =>
      printList(
        options(),
        (client) => client.auditStreams.list(),
        ['kind', 'target', 'sent up to', 'pending', 'state', 'id'],
        (stream) => [
          ...[stream.kind, stream.target, stream.acknowledged, stream.pending],
          ...[auditStreamState(stream), stream.id],
        ],
        'The journal is sent nowhere. Add a receiver with: guildbook journal streams add <url>',
      ),
    );
  streams
    .command('add <url>')
    .description('send the journal to an address and print its signing secret (shown only once)')
    .addOption(new Option('--from <entry>', 'the first entry to send').choices(BEGINNINGS).default('beginning'))
    .action((url: string, { from }: { from: Beginning }) =>
      answer(
        options(),
        (client) => client.auditStreams.add({ url, from }),
        ({ id, secret }) => print(`Added audit stream ${id}. Signing secret (shown only once):\n  ${secret}`),
      ),
    );
  streams
    .command('remove <stream>')
    .description('stop sending, and forget what the receiver has')
    .action((stream: string) => remove(options(), stream));
}

async function remove(options: ConnectionOptions, stream: string): Promise<void> {
  const client = await connect(options);
  const { id, names } = await auditStreamOf(client, stream);
  await client.auditStreams.remove(id);
  if (options.json) return printJson({ removed: id });
  print(oneLine(`Removed audit stream ${[...names, `id ${id}`].join(', ')}.`));
}
