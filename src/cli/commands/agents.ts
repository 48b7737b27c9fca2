import type { Command } from 'commander';
import type { NewAgent, Rotation } from '../../access/identity/access.schema.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { parseDays } from '../terminal/days.js';
import { lastUsed, print, printJson, table, tokenUntil } from '../terminal/terminal.js';

export function agentCommands(program: Command): void {
  const agents = program.command('agents').description('the agents that report executions');
  agents
    .command('list', { isDefault: true })
    .description('who reports')
    .action(() => list(program.opts<ConnectionOptions>()));
  agents
    .command('add <name>')
    .description('register an agent; prints its token, once')
    .option('--role <role>', 'what it does, such as "backend"')
    .option('--department <department>', 'where it belongs')
    .option('--owner <owner>', 'who answers for it')
    .option('--expires-in-days <days>', 'how long its token works (default: until it is rotated)', parseDays)
    .action((name: string, options: Omit<NewAgent, 'name'>) =>
      add(program.opts<ConnectionOptions>(), { name, ...options }),
    );
  agents
    .command('rotate <id>')
    .description('a new token for an agent or service; the old one stops working at once')
    .option('--expires-in-days <days>', 'how long it works (default: as long as the old one)', parseDays)
    .action((id: string, rotation: Rotation) => rotate(program.opts<ConnectionOptions>(), id, rotation));
  agents
    .command('disable <id>')
    .description('end an agent: its token stops working at once')
    .action((id: string) => disable(program.opts<ConnectionOptions>(), id));
}

async function list(options: ConnectionOptions): Promise<void> {
  const { items } = await (await connect(options)).agents.list();
  if (options.json) return printJson(items);
  if (items.length === 0) return print('No agents yet. Add one with: guildbook agents add <name>');
  print(
    table(
      ['name', 'owner', 'role', 'department', 'since', 'last used', 'token until', 'id'],
      items.map((a) => [
        a.name,
        a.owner ?? '',
        a.role ?? '',
        a.department ?? '',
        a.createdAt.slice(0, 10),
        lastUsed(a),
        tokenUntil(a),
        a.id,
      ]),
    ),
  );
}

async function add(options: ConnectionOptions, agent: NewAgent): Promise<void> {
  const issued = await (await connect(options)).agents.add(agent);
  if (options.json) return printJson(issued);
  print(`Agent ${issued.principal.name} is registered. Its token, shown this once:\n  ${issued.token}`);
}

async function rotate(options: ConnectionOptions, id: string, rotation: Rotation): Promise<void> {
  const issued = await (await connect(options)).principals.rotate(id, rotation);
  if (options.json) return printJson(issued);
  print(`The new token of ${issued.principal.name}, shown this once:\n  ${issued.token}`);
}

async function disable(options: ConnectionOptions, id: string): Promise<void> {
  const disabled = await (await connect(options)).principals.disable(id);
  if (options.json) return printJson(disabled);
  print(`${disabled.name} is disabled.`);
}
