import { type Command, InvalidArgumentError } from 'commander';
import type { AgentChange, NewAgent } from '../../access/identity/access.schema.js';
import { agentId } from '../server/names.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { parseDays } from '../terminal/days.js';
import { lastUsed, print, printJson, table, tokenExpiry } from '../terminal/terminal.js';
import { disableCommand, rotateCommand } from './principals.js';

export function agentCommands(program: Command): void {
  const agents = program.command('agents').description('manage the agents that report executions');
  agents
    .command('list', { isDefault: true })
    .description('list agents')
    .action(() => list(program.opts<ConnectionOptions>()));
  agents
    .command('add <name>')
    .description('register an agent and print its token (shown only once)')
    .option('--role <role>', 'role of the agent, such as "backend"')
    .option('--department <department>', 'department of the agent')
    .option('--owner <owner>', 'person or team responsible for the agent')
    .option('--expires-in-days <days>', 'token lifetime in days (default: no expiry)', parseDays)
    .action((name: string, options: Omit<NewAgent, 'name'>) =>
      add(program.opts<ConnectionOptions>(), { name, ...options }),
    );
  agents
    .command('change <agent>')
    .description('change the core block of an agent: the notes that are part of each of its contexts')
    .option('--core-tokens <tokens>', 'budget of the block in tokens; "default" for that of the server', parseTokens)
    .option('--core-writable', 'allow the agent to write it')
    .option('--no-core-writable', 'no longer allow the agent to write it')
    .action((agent: string, to: AgentChange) => change(program.opts<ConnectionOptions>(), agent, to));
  const kind = { noun: 'agent', connection: () => program.opts<ConnectionOptions>(), idOf: agentId } as const;
  rotateCommand(agents, kind);
  disableCommand(agents, kind);
}

async function list(options: ConnectionOptions): Promise<void> {
  const { items } = await (await connect(options)).agents.list();
  if (options.json) return printJson(items);
  if (items.length === 0) return print('No agents yet. Add one with: guildbook agents add <name>');
  print(
    table(
      ['name', 'owner', 'role', 'department', 'since', 'last used', 'token expires', 'id'],
      items.map((a) => [
        a.name,
        a.owner ?? '',
        a.role ?? '',
        a.department ?? '',
        a.createdAt.slice(0, 10),
        lastUsed(a),
        tokenExpiry(a),
        a.id,
      ]),
    ),
  );
}

function parseTokens(text: string): number | null {
  if (text === 'default') return null;
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('Enter a number of tokens, or "default".');
  return Number(text);
}

async function change(options: ConnectionOptions, given: string, to: AgentChange): Promise<void> {
  const client = await connect(options);
  const agent = await client.agents.change(await agentId(client, given), to);
  if (options.json) return printJson(agent);
  const { name, coreTokens, coreWritable = true } = agent;
  const size = coreTokens === undefined ? 'the default size' : `${coreTokens} tokens`;
  print(`${name}: core block of ${size}, ${coreWritable ? 'writable' : 'read-only'}.`);
}

async function add(options: ConnectionOptions, agent: NewAgent): Promise<void> {
  const issued = await (await connect(options)).agents.add(agent);
  if (options.json) return printJson(issued);
  print(`Registered agent ${issued.principal.name}. Token (shown only once):\n  ${issued.token}`);
}
