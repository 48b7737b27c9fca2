import type { Command } from 'commander';
import type { Issued } from '../../access/access.schema.js';
import { type ConnectionOptions, connect } from '../session.js';
import { print, printJson, table } from '../terminal.js';

export function peopleCommands(program: Command): void {
  const people = program.command('people').description('the people who decide and administer');
  people
    .command('list', { isDefault: true })
    .description('who there is')
    .action(() => list(program.opts<ConnectionOptions>()));
  people
    .command('add <name>')
    .description('register a person; prints their one-time sign-in token')
    .requiredOption('--email <address>', 'author of the commits they approve')
    .option('--reviewer', 'may decide', false)
    .option('--admin', 'may administer', false)
    .action((name: string, options: { email: string; reviewer: boolean; admin: boolean }) =>
      add(program.opts<ConnectionOptions>(), { name, ...options }),
    );
  people
    .command('invite <id>')
    .description('a new one-time token for a person; everything they held is revoked')
    .action((id: string) => invite(program.opts<ConnectionOptions>(), id));
}

async function list(options: ConnectionOptions): Promise<void> {
  const { items } = await (await connect(options)).people.list();
  if (options.json) return printJson(items);
  print(
    table(
      ['name', 'e-mail', 'roles', 'since', 'id'],
      items.map((p) => [p.name, p.email ?? '', p.roles.join(', ') || 'reader', p.createdAt.slice(0, 10), p.id]),
    ),
  );
}

async function add(
  options: ConnectionOptions,
  person: { name: string; email: string; reviewer: boolean; admin: boolean },
): Promise<void> {
  show(options, await (await connect(options)).people.add(person));
}

async function invite(options: ConnectionOptions, id: string): Promise<void> {
  show(options, await (await connect(options)).people.invite(id));
}

function show(options: ConnectionOptions, issued: Issued): void {
  if (options.json) {
    printJson(issued);
    return;
  }
  print(
    `${issued.principal.name} signs in with this one-time token (shown this once, until ${issued.expiresAt ?? 'used'}):`,
  );
  print(`  guildbook login --token ${issued.token}`);
}
