import { type Command, Option } from 'commander';
import { WEBHOOK_EVENTS, type WebhookDelivery, type WebhookEvent } from '../../webhooks/webhooks.schema.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { print, printJson, table } from '../terminal/terminal.js';

export function webhookCommands(program: Command): void {
  const options = () => program.opts<ConnectionOptions>();
  const webhooks = program.command('webhooks').description('addresses that are told of new items and decisions');
  webhooks
    .command('list', { isDefault: true })
    .description('the addresses')
    .action(() => list(options()));
  webhooks
    .command('add <url>')
    .description('have an https address told; prints the secret of its signatures, once')
    .addOption(new Option('--event <event...>', 'only these').choices(WEBHOOK_EVENTS))
    .action((url: string, { event }: { event?: WebhookEvent[] }) => add(options(), url, event));
  webhooks
    .command('remove <id>')
    .description('remove an address and what was to be told there')
    .action((id: string) => remove(options(), id));
  webhooks
    .command('test <id>')
    .description('send one message now')
    .action((id: string) => test(options(), id));
  webhooks
    .command('deliveries <id>')
    .description('what was told there, newest first, with the last answer')
    .action((id: string) => deliveries(options(), id));
}

async function list(options: ConnectionOptions): Promise<void> {
  const { items } = await (await connect(options)).webhooks.list();
  if (options.json) return printJson(items);
  if (items.length === 0) return print('Nobody is told. Add an address with: guildbook webhooks add <url>');
  print(
    table(
      ['address', 'events', 'waiting', 'state', 'id'],
      items.map((w) => [
        w.url,
        w.events.map((event) => event.replace('approval.', '')).join(', '),
        w.pending,
        w.disabledAt === null ? 'on' : `gone since ${w.disabledAt.slice(0, 10)}`,
        w.id,
      ]),
    ),
  );
}

async function add(options: ConnectionOptions, url: string, events?: WebhookEvent[]): Promise<void> {
  const added = await (await connect(options)).webhooks.add({ url, ...(events ? { events } : {}) });
  if (options.json) return printJson(added);
  print(`Webhook ${added.id} is added. The secret of its signatures, shown this once:\n  ${added.secret}`);
}

async function remove(options: ConnectionOptions, id: string): Promise<void> {
  await (await connect(options)).webhooks.remove(id);
  if (options.json) return printJson({ removed: id });
  print(`Webhook ${id} is removed.`);
}

async function test(options: ConnectionOptions, id: string): Promise<void> {
  const delivery = await (await connect(options)).webhooks.test(id);
  if (delivery.state !== 'delivered') process.exitCode = 1;
  if (options.json) return printJson(delivery);
  print(`${delivery.state}: ${answerOf(delivery)}`);
}

async function deliveries(options: ConnectionOptions, id: string): Promise<void> {
  const { items } = await (await connect(options)).webhooks.deliveries(id);
  if (options.json) return printJson(items);
  print(
    table(
      ['event', 'state', 'attempts', 'since', 'last answer'],
      items.map((d) => [d.event, d.state, d.attempts, d.createdAt, answerOf(d)]),
    ),
  );
}

const answerOf = ({ lastStatus, lastAnswer }: WebhookDelivery): string =>
  [lastStatus, lastAnswer].filter((part) => part !== null && part !== '').join(' ');
