import { type Command, Option } from 'commander';
import { WEBHOOK_EVENTS, type WebhookDelivery, type WebhookEvent } from '../../webhooks/webhooks.schema.js';
import { webhookOf } from '../server/names.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { commandProcess } from '../terminal/command-process.js';
import { oneLine, print, printJson, table } from '../terminal/terminal.js';

export function webhookCommands(program: Command): void {
  const options = () => program.opts<ConnectionOptions>();
  const webhooks = program
    .command('webhooks')
    .description('manage webhooks for new proposals and decisions; a webhook is given by its URL or id');
  webhooks
    .command('list', { isDefault: true })
    .description('list webhooks')
    .action(() => list(options()));
  webhooks
    .command('add <url>')
    .description('add a webhook and print its signing secret (shown only once)')
    .addOption(new Option('--event <event...>', 'only these events').choices(WEBHOOK_EVENTS))
    .action((url: string, { event }: { event?: WebhookEvent[] }) => add(options(), url, event));
  webhooks
    .command('remove <webhook>')
    .description('remove a webhook and its pending messages')
    .action((webhook: string) => remove(options(), webhook));
  webhooks
    .command('test <webhook>')
    .description('send a test message now')
    .action((webhook: string) => test(options(), webhook));
  webhooks
    .command('deliveries <webhook>')
    .description('list the messages of a webhook, newest first, with the last response')
    .action((webhook: string) => deliveries(options(), webhook));
}

async function list(options: ConnectionOptions): Promise<void> {
  const { items } = await (await connect(options)).webhooks.list();
  if (options.json) return printJson(items);
  if (items.length === 0) return print('No webhooks. Add one with: guildbook webhooks add <url>');
  print(
    table(
      ['address', 'events', 'pending', 'state', 'id'],
      items.map((w) => [
        w.url,
        w.events.map((event) => event.replace('proposal.', '')).join(', '),
        w.pending,
        w.disabledAt === null ? 'on' : `disabled since ${w.disabledAt.slice(0, 10)}`,
        w.id,
      ]),
    ),
  );
}

async function add(options: ConnectionOptions, url: string, events?: WebhookEvent[]): Promise<void> {
  const added = await (await connect(options)).webhooks.add({ url, ...(events ? { events } : {}) });
  if (options.json) return printJson(added);
  print(`Added webhook ${added.id}. Signing secret (shown only once):\n  ${added.secret}`);
}

async function remove(options: ConnectionOptions, webhook: string): Promise<void> {
  const client = await connect(options);
  const { id, names } = await webhookOf(client, webhook);
  await client.webhooks.remove(id);
  if (options.json) return printJson({ removed: id });
  print(oneLine(`Removed webhook ${[...names, `id ${id}`].join(', ')}.`));
}

async function test(options: ConnectionOptions, webhook: string): Promise<void> {
  const client = await connect(options);
  const delivery = await client.webhooks.test((await webhookOf(client, webhook)).id);
  if (delivery.state !== 'delivered') commandProcess().exitCode = 1;
  if (options.json) return printJson(delivery);
  print(`${delivery.state}: ${responseOf(delivery)}`);
}

async function deliveries(options: ConnectionOptions, webhook: string): Promise<void> {
  const client = await connect(options);
  const { items } = await client.webhooks.deliveries((await webhookOf(client, webhook)).id);
  if (options.json) return printJson(items);
  print(
    table(
      ['event', 'state', 'attempts', 'since', 'last response'],
      items.map((d) => [d.event, d.state, d.attempts, d.createdAt, responseOf(d)]),
    ),
  );
}

const responseOf = ({ lastStatus, lastAnswer }: WebhookDelivery): string =>
  [lastStatus, lastAnswer].filter((part) => part !== null && part !== '').join(' ');
