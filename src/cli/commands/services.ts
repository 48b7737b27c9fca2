import { type Command, Option } from 'commander';
import { type ConnectionOptions, connect } from '../session.js';
import { print, printJson, table } from '../terminal.js';

const SCOPES = ['report-for', 'read', 'propose'] as const;
type ServiceScope = (typeof SCOPES)[number];

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
    .action((name: string, options: { owner?: string; scope: ServiceScope[] }) =>
      add(program.opts<ConnectionOptions>(), name, options),
    );
}

async function list(options: ConnectionOptions): Promise<void> {
  const { items } = await (await connect(options)).services.list();
  if (options.json) return printJson(items);
  if (items.length === 0) return print('No services yet. Add an importer with: guildbook services add <name>');
  print(
    table(
      ['name', 'owner', 'since', 'id'],
      items.map((s) => [s.name, s.owner ?? '', s.createdAt.slice(0, 10), s.id]),
    ),
  );
}

async function add(
  connection: ConnectionOptions,
  name: string,
  { owner, scope }: { owner?: string; scope: ServiceScope[] },
): Promise<void> {
  const issued = await (await connect(connection)).services.add({ name, scopes: scope, ...(owner ? { owner } : {}) });
  if (connection.json) return printJson(issued);
  print(`Service ${issued.principal.name} is registered. Its token, shown this once:\n  ${issued.token}`);
}
