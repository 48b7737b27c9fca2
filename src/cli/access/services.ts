import { type Command, Option } from 'commander';
import type { NewService } from '../../access/identity/access.schema.js';
import { serviceId } from '../server/names.js';
import { answer, type ConnectionOptions, printList } from '../server/session.js';
import { parseDays } from '../terminal/days.js';
import { lastUsed, tokenExpiry } from '../terminal/terminal.js';
import { disableCommand, printIssued, rotateCommand } from './principals.js';

const SCOPES = ['report-for', 'read', 'propose'] as const;
type Scopes = NewService['scopes'];

export function serviceCommands(program: Command): void {
  const connection = () => program.opts<ConnectionOptions>();
  const services = program.command('services').description('manage importers and bridges that report for agents');
  services
    .command('list', { isDefault: true })
    .description('list services')
    .action(() =>
      printList(
        connection(),
        (client) => client.services.list(),
        ['name', 'owner', 'since', 'last used', 'token expires', 'id'],
        (s) => [s.name, s.owner ?? '', s.createdAt.slice(0, 10), lastUsed(s), tokenExpiry(s), s.id],
        'No services yet. Add an importer with: guildbook services add <name>',
      ),
    );
  services
    .command('add <name>')
    .description('register a service and print its token (shown only once)')
    .option('--owner <owner>', 'person or team responsible for the service and the agents it registers')
    .addOption(
      new Option('--scope <scope...>', 'permissions of the service').choices(SCOPES).default(['report-for', 'read']),
    )
    .option('--expires-in-days <days>', 'token lifetime in days (default: no expiry)', parseDays)
    .action((name: string, { scope, ...options }: Pick<NewService, 'owner' | 'expiresInDays'> & { scope: Scopes }) =>
      answer(
        connection(),
        (client) => client.services.add({ name, scopes: scope, ...options }),
        printIssued('service'),
      ),
    );
  const kind = { noun: 'service', connection, idOf: serviceId } as const;
  rotateCommand(services, kind);
  disableCommand(services, kind);
}
