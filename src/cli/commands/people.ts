import { type Command, Option } from 'commander';
import type { Issued, NewPerson, PersonChange, Principal, ReviewScope } from '../../access/identity/access.schema.js';
import { type ConnectionOptions, connect, signInLink } from '../server/session.js';
import { lastUsed, print, printJson, table } from '../terminal/terminal.js';

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
    .addOption(decidesFor())
    .action(
      (
        name: string,
        { decidesFor, ...options }: ReviewScopeOptions & { email: string; reviewer: boolean; admin: boolean },
      ) => add(program.opts<ConnectionOptions>(), { name, ...options, ...reviewScopeOf(decidesFor) }),
    );
  people
    .command('change <id>')
    .description('give or take roles; what is taken ends at once')
    .option('--reviewer', 'may decide')
    .option('--no-reviewer', 'may decide no more')
    .option('--admin', 'may administer')
    .option('--no-admin', 'may administer no more')
    .addOption(decidesFor())
    .action((id: string, { decidesFor, ...roles }: ReviewScopeOptions & PersonChange) =>
      change(program.opts<ConnectionOptions>(), id, { ...roles, ...reviewScopeOf(decidesFor) }),
    );
  people
    .command('invite <id>')
    .description('a new one-time token for a person; everything they held is revoked')
    .action((id: string) => invite(program.opts<ConnectionOptions>(), id));
}

interface ReviewScopeOptions {
  readonly decidesFor?: readonly string[];
}

const decidesFor = () =>
  new Option(
    '--decides-for <parts...>',
    'what a reviewer decides for: departments, department:role or :role; "all" is the whole organisation',
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

async function list(options: ConnectionOptions): Promise<void> {
  const { items } = await (await connect(options)).people.list();
  if (options.json) return printJson(items);
  print(
    table(
      ['name', 'e-mail', 'roles', 'decides for', 'since', 'last used', 'id'],
      items.map((p) => [
        p.name,
        p.email ?? '',
        rolesOf(p),
        p.roles.includes('reviewer') ? reviewScopeText(p.reviewScope) : '-',
        p.createdAt.slice(0, 10),
        lastUsed(p),
        p.id,
      ]),
    ),
  );
}

async function add(options: ConnectionOptions, person: NewPerson): Promise<void> {
  await show(options, await (await connect(options)).people.add(person));
}

async function change(options: ConnectionOptions, id: string, roles: PersonChange): Promise<void> {
  const changed = await (await connect(options)).people.change(id, roles);
  if (options.json) return printJson(changed);
  const reviewScope = changed.reviewScope === null ? '' : `, and decides for ${reviewScopeText(changed.reviewScope)}`;
  print(`${changed.name} is ${changed.roles.join(' and ') || 'a reader'} now${reviewScope}.`);
}

async function invite(options: ConnectionOptions, id: string): Promise<void> {
  await show(options, await (await connect(options)).people.invite(id));
}

async function show(options: ConnectionOptions, issued: Issued): Promise<void> {
  if (options.json) {
    printJson(issued);
    return;
  }
  print(
    `${issued.principal.name} signs in with this one-time token (shown this once, until ${issued.expiresAt ?? 'used'}):`,
  );
  print(`  guildbook login --token ${issued.token}`);
  print(`or, in a browser: ${await signInLink(options, issued.token)}`);
}
