import { type Command, Option } from 'commander';
import type { NewService } from '../../access/identity/access.schema.js';
import { serviceId } from '../server/names.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { parseDays } from '../terminal/days.js';
import { lastUsed, print, printJson, table, tokenExpiry } from '../terminal/terminal.js';
import { disableCommand, rotateCommand } from './principals.js';

const SCOPES = ['report-for', 'read', 'propose'] as const;
type Scopes = NewService['scopes'];

export function serviceCommands(program: Command): void {
  const services = program.command('services').description('manage importers and bridges that report for agents');
  services
    .command('list', { isDefault: true })
    .description('list services')
    .action(() => list(program.opts<ConnectionOptions>()));
  services
    .command('add <name>')
    .description('register a service and print its token (shown only once)')
    .option('--owner <owner>', 'person or team responsible for the service and the agents it registers')
    .addOption(
      new Option('--scope <scope...>', 'permissions of the service').choices(SCOPES).default(['report-for', 'read']),
    )
    .option('--expires-in-days <days>', 'token lifetime in days (default: no expiry)', parseDays)
    .action((name: string, { scope, ...options }: Pick<NewService, 'owner' | 'expiresInDays'> & { scope: Scopes }) =>
      add(program.opts<ConnectionOptions>(), { name, scopes: scope, ...options }),
    );
  const kind = { noun: 'service', connection: () => program.opts<ConnectionOptions>(), idOf: serviceId } as const;
  rotateCommand(services, kind);
  disableCommand(services, kind);
}

async function list(options: ConnectionOptions): Promise<void> {
  const { items } = await (await connect(options)).services.list();
  if (options.json) return printJson(items);
  if (items.length === 0) return print('No services yet. Add an importer with: guildbook services add <name>');
  print(
    table(
      ['name', 'owner', 'since', 'last used', 'token expires', 'id'],
      items.map((s) => [s.name, s.owner ?? '', s.createdAt.slice(0, 10), lastUsed(s), tokenExpiry(s), s.id]),
    ),
  );
}

async function add(connection: ConnectionOptions, service: NewService): Promise<void> {
  const issued = await (await connect(connection)).services.add(service);
  if (connection.json) return printJson(issued);
  print(`Registered service ${issued.principal.name}. Token (shown only once):\n  ${issued.token}`);
}
