import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { Guildbook, GuildbookError } from '../../client/guildbook.js';
import { messageOf } from '../../platform/base/error-text.js';
import { present } from '../../platform/base/optional.js';
import { answer, type ConnectionOptions, serverOf } from '../server/session.js';
import {
  checkShortName,
  type SignIn,
  signInAt,
  signInFile,
  withoutServer,
  withSignIn,
} from '../server/sign-in-file.js';
import { CliError, EXIT } from '../terminal/cli-error.js';
import { commandProcess } from '../terminal/command-process.js';
import { print, printError, printJson } from '../terminal/terminal.js';

interface LoginOptions {
  readonly token?: string;
  readonly name?: string;
  readonly browser?: boolean;
}

export function signInCommands(program: Command): void {
  const connection = () => program.opts<ConnectionOptions>();
  program
    .command('login')
    .description('sign in to a server and make it the current one; the first time needs the token of your invitation')
    .option('--token <token>', 'one-time token; "-" reads it from standard input')
    .option('--name <name>', 'short name of the server, for --server and "servers use"')
    .addOption(
      new Option('--browser', 'print a one-time link that signs in a browser (valid for 10 minutes)').conflicts([
        'token',
        'name',
      ]),
    )
    .action((options: LoginOptions) =>
      options.browser ? printBrowserLink(connection()) : login(connection(), options),
    );
  program
    .command('logout')
    .description('sign out of the server on all devices')
    .option('--all', 'sign out of every server')
    .action(({ all }: { all?: boolean }) => (all ? logoutOfAll(connection()) : logout(connection())));
  program
    .command('whoami')
    .description('show your account and its permissions')
    .action(() =>
      answer(
        connection(),
        (client) => client.me(),
        ({ principal: { name, kind }, scopes, expiresAt }) =>
          print(
            `${name} (${kind}): ${scopes.join(', ') || 'no permissions'}${expiresAt ? `, until ${expiresAt}` : ''}`,
          ),
      ),
    );
}

async function login(options: ConnectionOptions, { token: given, name }: LoginOptions): Promise<void> {
  const file = signInFile();
  const known = await file.read();
  const server = serverOf(options, known);
  // Before the one-time token is used up.
  if (name !== undefined) checkShortName(known, server, name);
  const token =
    given === '-' ? (await text(commandProcess().stdin)).trim() : (given ?? signInAt(known, server)?.signInToken);
  if (!token)
    throw new CliError(
      EXIT.usage,
      'server.not_signed_in',
      `You have not signed in to ${server} before. Use the one-time token of your invitation: --token <token>`,
    );
  const { principal, scopes, ...signedIn } = await new Guildbook({ server }).signIn(token);
  const { expiresAt } = signedIn;
  await file.change((signIns) => {
    const earlier = given === undefined ? signInAt(signIns, server) : undefined;
    const renewal = signedIn.signInToken === undefined ? earlier : signedIn;
    return withSignIn(signIns, {
      server,
      person: principal.name,
      token: signedIn.token,
      expiresAt,
      ...present({ name, signInToken: renewal?.signInToken, signInExpiresAt: renewal?.signInExpiresAt }),
    });
  });
  if (options.json) return printJson({ server, name: principal.name, scopes, expiresAt });
  print(`Signed in to ${server} as ${principal.name} (${scopes.join(', ')}) until ${expiresAt}.`);
  print('To sign in again afterwards: guildbook login');
}

async function printBrowserLink(options: ConnectionOptions): Promise<void> {
  const known = await signInFile().read();
  const server = serverOf(options, known);
  const signInToken = signInAt(known, server)?.signInToken;
  if (signInToken === undefined)
    throw new CliError(
      EXIT.notPermitted,
      'server.not_signed_in',
      `You are not signed in to ${server}. Sign in first: guildbook login --server ${server} --token <token>`,
    );
  const { token, expiresAt } = await new Guildbook({ server }).signInLink(signInToken);
  const url = `${server}/sign-in?token=${token}`;
  if (options.json) return printJson({ url, expiresAt });
  print(`Open this one-time link in your browser before ${expiresAt}:\n  ${url}`);
}

async function logout(options: ConnectionOptions): Promise<void> {
  const file = signInFile();
  const known = await file.read();
  const server = serverOf(options, known);
  const signIn = signInAt(known, server);
  if (!signIn) throw new CliError(EXIT.notPermitted, 'server.not_signed_in', `You are not signed in to ${server}.`);
  await signOut(signIn);
  await file.change((signIns) => withoutServer(signIns, server));
  if (options.json) return printJson({ signedOut: true, server });
  print(`Signed out of ${server} on all devices.`);
}

/** Keeps the sign-ins at servers that do not answer, and exits with a failure if there is one. */
async function logoutOfAll(options: ConnectionOptions): Promise<void> {
  const file = signInFile();
  const signedOut: string[] = [];
  const failed: { server: string; reason: string }[] = [];
  for (const signIn of (await file.read()).servers) {
    const { server } = signIn;
    try {
      await signOut(signIn);
      await file.change((signIns) => withoutServer(signIns, server));
      signedOut.push(server);
    } catch (error) {
      failed.push({ server, reason: messageOf(error) });
    }
  }
  if (failed.length > 0) commandProcess().exitCode = EXIT.failed;
  if (options.json) return printJson({ signedOut, failed });
  if (signedOut.length + failed.length === 0) return print('You are not signed in to any server.');
  for (const server of signedOut) print(`Signed out of ${server} on all devices.`);
  for (const { server, reason } of failed)
    printError(
      `Still signed in to ${server}: ${reason}. To forget it on this machine: guildbook servers forget ${server}`,
    );
}

/** Ends every sign-in of the person at the server. A sign-in that the server no longer knows has ended already. */
async function signOut({ server, token, signInToken }: SignIn): Promise<void> {
  try {
    await new Guildbook({ server, token }).signOut();
  } catch (error) {
    if (!isUnauthorised(error)) throw error;
    // The token lasts an hour, so that most people sign out with an expired one.
    if (signInToken !== undefined) await renewAndSignOut(server, signInToken);
  }
}

async function renewAndSignOut(server: string, signInToken: string): Promise<void> {
  try {
    const { token } = await new Guildbook({ server }).signIn(signInToken);
    await new Guildbook({ server, token }).signOut();
  } catch (error) {
    if (!isUnauthorised(error)) throw error;
  }
}

const isUnauthorised = (error: unknown): boolean => error instanceof GuildbookError && error.problem.status === 401;
