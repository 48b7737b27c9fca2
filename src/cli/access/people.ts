import { type Command, Option } from 'commander';
import type { Issued, NewPerson, PersonChange, Principal, ReviewScope } from '../../access/identity/access.schema.js';
import { personId } from '../server/names.js';
import { type ConnectionOptions, connect, signInLink } from '../server/session.js';
import { lastUsed, print, printJson, table } from '../terminal/terminal.js';
import { disableCommand } from './principals.js';

export function peopleCommands(program: Command): void {
  const people = program.command('people').description('manage reviewers and administrators');
  people
    .command('list', { isDefault: true })
    .description('list people')
    .action(() => list(program.opts<ConnectionOptions>()));
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
      ) => add(program.opts<ConnectionOptions>(), { name, ...options, ...reviewScopeOf(reviewScope) }),
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
      change(program.opts<ConnectionOptions>(), person, { ...roles, ...reviewScopeOf(reviewScope) }),
    );
  people
    .command('invite <person>')
    .description('issue a new one-time sign-in token and revoke all other credentials of the person')
    .action((person: string) => invite(program.opts<ConnectionOptions>(), person));
  disableCommand(people, {
    noun: 'person',
    connection: () => program.opts<ConnectionOptions>(),
    idOf: personId,
  });
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

async function list(options: ConnectionOptions): Promise<void> {
  const { items } = await (await connect(options)).people.list();
  if (options.json) return printJson(items);
  print(
    table(
      ['name', 'e-mail', 'roles', 'review scope', 'since', 'last used', 'id'],
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

async function change(options: ConnectionOptions, person: string, roles: PersonChange): Promise<void> {
  const client = await connect(options);
  const changed = await client.people.change(await personId(client, person), roles);
  if (options.json) return printJson(changed);
  const reviewScope = changed.reviewScope === null ? '' : `, review scope ${reviewScopeText(changed.reviewScope)}`;
  print(`${changed.name}: ${changed.roles.join(' and ') || 'reader'}${reviewScope}.`);
}

async function invite(options: ConnectionOptions, person: string): Promise<void> {
  const client = await connect(options);
  await show(options, await client.people.invite(await personId(client, person)));
}

async function show(options: ConnectionOptions, issued: Issued): Promise<void> {
  if (options.json) {
    printJson(issued);
    return;
  }
  print(
    `One-time sign-in token for ${issued.principal.name}, id ${issued.principal.id} (shown only once, valid until ${issued.expiresAt ?? 'used'}):`,
  );
  const link = await signInLink(options, issued.token);
  print(`  guildbook login --server ${new URL(link).origin} --token ${issued.token}`);
  print(`Or open in a browser: ${link}`);
}
