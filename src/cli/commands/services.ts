import { type Command, Option } from 'commander';
import type { NewService } from '../../access/identity/access.schema.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { parseDays } from '../terminal/days.js';
import { lastUsed, print, printJson, table, tokenUntil } from '../terminal/terminal.js';

const SCOPES = ['report-for', 'read', 'propose'] as const;
type Scopes = NewService['scopes'];

export function serviceCommands(program: Command): void {
  const services = program.command('services').description('importers and bridges that report for agents');
  services
    .command('list', { isDefault: true })
    .description('the services')
    .action(() => list(program.opts<ConnectionOptions>()));
  services
    .command('add <name>')
    .description('register a service; prints its token, once')
    .option('--owner <owner>', 'who answers for it, and for the agents it registers')
    .addOption(new Option('--scope <scope...>', 'what it may do').choices(SCOPES).default(['report-for', 'read']))
    .option('--expires-in-days <days>', 'how long its token works (default: until it is rotated)', parseDays)
    .action((name: string, { scope, ...options }: Pick<NewService, 'owner' | 'expiresInDays'> & { scope: Scopes }) =>
      add(program.opts<ConnectionOptions>(), { name, scopes: scope, ...options }),
    );
}

async function list(options: ConnectionOptions): Promise<void> {
  const { items } = await (await connect(options)).services.list();
  if (options.json) return printJson(items);
  if (items.length === 0) return print('No services yet. Add an importer with: guildbook services add <name>');
  print(
    table(
      ['name', 'owner', 'since', 'last used', 'token until', 'id'],
      items.map((s) => [s.name, s.owner ?? '', s.createdAt.slice(0, 10), lastUsed(s), tokenUntil(s), s.id]),
    ),
  );
}

async function add(connection: ConnectionOptions, service: NewService): Promise<void> {
  const issued = await (await connect(connection)).services.add(service);
  if (connection.json) return printJson(issued);
  print(`Service ${issued.principal.name} is registered. Its token, shown this once:\n  ${issued.token}`);
}
