import { type Command, Option } from 'commander';
import { optional } from '../../platform/base/optional.js';
import {
  WEBHOOK_EVENTS,
  WEBHOOK_FORMATS,
  type WebhookDelivery,
  type WebhookEvent,
  type WebhookFormat,
} from '../../webhooks/webhooks.schema.js';
import { webhookOf } from '../server/names.js';
import { answer, type ConnectionOptions, connect, printList } from '../server/session.js';
import { commandProcess } from '../terminal/command-process.js';
import { oneLine, print, printJson } from '../terminal/terminal.js';

export function webhookCommands(program: Command): void {
  const options = () => program.opts<ConnectionOptions>();
  const webhooks = program
    .command('webhooks')
    .description('manage webhooks for proposals, decisions and cycles; a webhook is given by its URL or id');
  webhooks
    .command('list', { isDefault: true })
    .description('list webhooks')
    .action(() =>
      printList(
        options(),
        (client) => client.webhooks.list(),
        ['address', 'events', 'format', 'pending', 'state', 'id'],
        ({ url, events, format, pending, disabledAt, id }) => [
          ...[url, events.map((event) => event.replace('proposal.', '')).join(', '), format, pending],
          ...[disabledAt === null ? 'on' : `disabled since ${disabledAt.slice(0, 10)}`, id],
        ],
        'No webhooks. Add one with: guildbook webhooks add <url>',
      ),
    );
  webhooks
    .command('add <url>')
    .description('add a webhook and print its signing secret (shown only once)')
    .addOption(
      new Option('--event <event...>', 'only these events (default: those of proposals)').choices(WEBHOOK_EVENTS),
    )
    .addOption(new Option('--format <format>', 'how messages are written').choices(WEBHOOK_FORMATS))
    .action((url: string, { event, format }: { event?: WebhookEvent[]; format?: WebhookFormat }) =>
      answer(
        options(),
        (client) => client.webhooks.add({ url, ...optional('events', event), ...optional('format', format) }),
        ({ id, secret }) => print(`Added webhook ${id}. Signing secret (shown only once):\n  ${secret}`),
      ),
    );
  webhooks
    .command('remove <webhook>')
    .description('remove a webhook and its pending messages')
    .action((webhook: string) => remove(options(), webhook));
  webhooks
    .command('test <webhook>')
    .description('send a test message now')
    .action((webhook: string) =>
      answer(
        options(),
        async (client) => {
          const delivery = await client.webhooks.test((await webhookOf(client, webhook)).id);
          if (delivery.state !== 'delivered') commandProcess().exitCode = 1;
          return delivery;
        },
        (delivery) => print(`${delivery.state}: ${responseOf(delivery)}`),
      ),
    );
  webhooks
    .command('deliveries <webhook>')
    .description('list the messages of a webhook, newest first, with the last response')
    .action((webhook: string) =>
      printList(
        options(),
        async (client) => client.webhooks.deliveries((await webhookOf(client, webhook)).id),
        ['event', 'state', 'attempts', 'since', 'last response'],
        (d) => [d.event, d.state, d.attempts, d.createdAt, responseOf(d)],
      ),
    );
}

async function remove(options: ConnectionOptions, webhook: string): Promise<void> {
  const client = await connect(options);
  const { id, names } = await webhookOf(client, webhook);
  await client.webhooks.remove(id);
  if (options.json) return printJson({ removed: id });
  print(oneLine(`Removed webhook ${[...names, `id ${id}`].join(', ')}.`));
}

const responseOf = ({ lastStatus, lastAnswer }: WebhookDelivery): string =>
  [lastStatus, lastAnswer].filter((part) => part !== null && part !== '').join(' ');
