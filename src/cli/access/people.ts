import { type Command, Option } from 'commander';
import type { Issued, PersonChange, Principal, ReviewScope } from '../../access/identity/access.schema.js';
import { personId } from '../server/names.js';
import { answer, type ConnectionOptions, printList, signInLink } from '../server/session.js';
import { lastUsed, print } from '../terminal/terminal.js';
import { disableCommand } from './principals.js';

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
