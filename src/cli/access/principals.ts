import { type Command, InvalidArgumentError, Option } from 'commander';
import type {
  AgentChange,
  Issued,
  NewAgent,
  NewService,
  PersonChange,
  Principal,
  ReviewScope,
  Rotation,
} from '../../access/identity/access.schema.js';
import type { Guildbook } from '../../client/guildbook.js';
import { agentId, personId, serviceId } from '../server/names.js';
import { answer, type ConnectionOptions, printList, signInLink } from '../server/session.js';
import { lastUsed, print, tokenExpiry } from '../terminal/terminal.js';

/** The commands that agents, services and people have in common. `idOf` finds one by name or id. */
interface PrincipalKind {
  readonly noun: 'agent' | 'service' | 'person';
  readonly connection: () => ConnectionOptions;
  readonly idOf: (client: Guildbook, given: string) => Promise<string>;
}

/** `guildbook agents rotate`, `guildbook services rotate`. */
function rotateCommand(parent: Command, { noun, connection, idOf }: PrincipalKind): void {
  parent
    .command(`rotate <${noun}>`)
    .description(`issue a new token for the ${noun}; the old token stops working immediately`)
    .option('--expires-in-days <days>', 'token lifetime in days (default: same as the old token)', parseDays)
    .action((given: string, rotation: Rotation) =>
      answer(
        connection(),
        async (client) => client.principals.rotate(await idOf(client, given), rotation),
        ({ principal, token }) =>
          print(`New token for ${principal.name}, id ${principal.id} (shown only once):\n  ${token}`),
      ),
    );
}

/** `guildbook agents disable`, `guildbook services disable`, `guildbook people disable`. */
function disableCommand(parent: Command, { noun, connection, idOf }: PrincipalKind): void {
  parent
    .command(`disable <${noun}>`)
    .description(`disable the ${noun}; all its credentials stop working immediately`)
    .action((given: string) =>
      answer(
        connection(),
        async (client) => client.principals.disable(await idOf(client, given)),
        ({ name, id }) => print(`Disabled ${name}, id ${id}.`),
      ),
    );
}

/** `guildbook agents add`, `guildbook services add`. */
const printIssued =
  (noun: string) =>
  ({ principal, token }: Issued): void =>
    print(`Registered ${noun} ${principal.name}. Token (shown only once):\n  ${token}`);

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

export function peopleCommands(program: Command): void {
  const connection = () => program.opts<ConnectionOptions>();
  const show = (issued: Issued) => printSignIn(connection(), issued);
  const people = program.command('people').description('manage reviewers and administrators');
  people
    .command('list', { isDefault: true })
    .description('list people')
    .action(() =>
      printList(
        connection(),
        (client) => client.people.list(),
        ['name', 'e-mail', 'roles', 'review scope', 'since', 'last used', 'id'],
        (p) => [
          ...[p.name, p.email ?? '', rolesOf(p)],
          p.roles.includes('reviewer') ? reviewScopeText(p.reviewScope) : '-',
          ...[p.createdAt.slice(0, 10), lastUsed(p), p.id],
        ],
      ),
    );
  people
    .command('add <name>')
    .description('register a person and print a one-time sign-in token')
    .requiredOption('--email <address>', 'e-mail address; becomes the author of the commits that they approve')
    .option('--reviewer', 'allow to decide on proposals', false)
    .option('--admin', 'allow to administer', false)
    .addOption(reviewScopeOption())
    .action(
      (
        name: string,
        { reviewScope, ...options }: ReviewScopeOptions & { email: string; reviewer: boolean; admin: boolean },
      ) =>
        answer(connection(), (client) => client.people.add({ name, ...options, ...reviewScopeOf(reviewScope) }), show),
    );
  people
    .command('change <person>')
    .description('change roles and review scope; a removed role ends immediately')
    .option('--reviewer', 'allow to decide on proposals')
    .option('--no-reviewer', 'no longer allow to decide on proposals')
    .option('--admin', 'allow to administer')
    .option('--no-admin', 'no longer allow to administer')
    .addOption(reviewScopeOption())
    .action((person: string, { reviewScope, ...roles }: ReviewScopeOptions & PersonChange) =>
      answer(
        connection(),
        async (client) =>
          client.people.change(await personId(client, person), { ...roles, ...reviewScopeOf(reviewScope) }),
        (changed) => {
          const groups = changed.reviewScope === null ? '' : `, review scope ${reviewScopeText(changed.reviewScope)}`;
          print(`${changed.name}: ${changed.roles.join(' and ') || 'reader'}${groups}.`);
        },
      ),
    );
  people
    .command('invite <person>')
    .description('issue a new one-time sign-in token and revoke all other credentials of the person')
    .action((person: string) =>
      answer(connection(), async (client) => client.people.invite(await personId(client, person)), show),
    );
  disableCommand(people, { noun: 'person', connection, idOf: personId });
}

interface ReviewScopeOptions {
  readonly reviewScope?: readonly string[];
}

const reviewScopeOption = () =>
  new Option(
    '--review-scope <groups...>',
    'groups whose proposals the reviewer may decide: department, department:role or :role; "all" for every group',
  );

function reviewScopeOf(parts: readonly string[] | undefined): { reviewScope?: ReviewScope } {
  if (parts === undefined) return {};
  if (parts.length === 1 && parts[0] === 'all') return { reviewScope: null };
  return {
    reviewScope: parts.map((part) => {
      const [department = '', role = ''] = part.split(':', 2);
      return { ...(department === '' ? {} : { department }), ...(role === '' ? {} : { role }) };
    }),
  };
}

const reviewScopeText = (reviewScope: ReviewScope): string =>
  reviewScope?.map(({ department, role }) => `${department ?? ''}${role ? `:${role}` : ''}`).join(', ') ?? 'all';

const rolesOf = ({ roles, disabledAt }: Principal) => (disabledAt ? 'disabled' : roles.join(', ') || 'reader');

async function printSignIn(options: ConnectionOptions, issued: Issued): Promise<void> {
  print(
    `One-time sign-in token for ${issued.principal.name}, id ${issued.principal.id} (shown only once, valid until ${issued.expiresAt ?? 'used'}):`,
  );
  const link = await signInLink(options, issued.token);
  print(`  guildbook login --server ${new URL(link).origin} --token ${issued.token}`);
  print(`Or open in a browser: ${link}`);
}

/** Parses an option that counts days. The server checks the bounds. */
function parseDays(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('Enter a whole number of days.');
  return Number(text);
}
