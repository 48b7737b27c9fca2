import { type Command, InvalidArgumentError } from 'commander';
import type { AgentChange, NewAgent } from '../../access/identity/access.schema.js';
import { agentId } from '../server/names.js';
import { answer, type ConnectionOptions, printList } from '../server/session.js';
import { parseDays } from '../terminal/days.js';
import { lastUsed, print, tokenExpiry } from '../terminal/terminal.js';
import { disableCommand, printIssued, rotateCommand } from './principals.js';

export function agentCommands(program: Command): void {
  const connection = () => program.opts<ConnectionOptions>();
  const agents = program.command('agents').description('manage the agents that report executions');
  agents
    .command('list', { isDefault: true })
    .description('list agents')
    .action(() =>
      printList(
        connection(),
        (client) => client.agents.list(),
        ['name', 'owner', 'role', 'department', 'since', 'last used', 'token expires', 'id'],
        (a) => [
          ...[a.name, a.owner ?? '', a.role ?? '', a.department ?? '', a.createdAt.slice(0, 10)],
          ...[lastUsed(a), tokenExpiry(a), a.id],
        ],
        'No agents yet. Add one with: guildbook agents add <name>',
      ),
    );
  agents
    .command('add <name>')
    .description('register an agent and print its token (shown only once)')
    .option('--role <role>', 'role of the agent, such as "backend"')
    .option('--department <department>', 'department of the agent')
    .option('--owner <owner>', 'person or team responsible for the agent')
    .option('--expires-in-days <days>', 'token lifetime in days (default: no expiry)', parseDays)
    .action((name: string, options: Omit<NewAgent, 'name'>) =>
      answer(connection(), (client) => client.agents.add({ name, ...options }), printIssued('agent')),
    );
  agents
    .command('change <agent>')
    .description('change the core block of an agent: the notes that are part of each of its contexts')
    .option('--core-tokens <tokens>', 'budget of the block in tokens; "default" for that of the server', parseTokens)
    .option('--core-writable', 'allow the agent to write it')
    .option('--no-core-writable', 'no longer allow the agent to write it')
    .action((agent: string, to: AgentChange) =>
      answer(
        connection(),
        async (client) => client.agents.change(await agentId(client, agent), to),
        ({ name, coreTokens, coreWritable = true }) => {
          const size = coreTokens === undefined ? 'the default size' : `${coreTokens} tokens`;
          print(`${name}: core block of ${size}, ${coreWritable ? 'writable' : 'read-only'}.`);
        },
      ),
    );
  const kind = { noun: 'agent', connection, idOf: agentId } as const;
  rotateCommand(agents, kind);
  disableCommand(agents, kind);
}

function parseTokens(text: string): number | null {
  if (text === 'default') return null;
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('Enter a number of tokens, or "default".');
  return Number(text);
}
