import type { Command } from 'commander';
import { Guildbook } from '../../client/guildbook.js';
import {
  type ConnectionOptions,
  connect,
  forgetSession,
  readSession,
  serverOf,
  signInLink,
  writeSession,
} from '../server/session.js';
import { print, printJson } from '../terminal/terminal.js';

export function signInCommands(program: Command): void {
  program
    .command('login')
    .description('sign in; the first time requires the one-time token of your invitation')
    .option('--token <token>', 'one-time token; "-" reads it from standard input')
    .option('--browser', 'print a one-time link that signs in a browser (valid for 10 minutes)')
    .action(({ token, browser }: { token?: string; browser?: boolean }) =>
      browser ? printBrowserLink(program.opts<ConnectionOptions>()) : login(program.opts<ConnectionOptions>(), token),
    );
  program
    .command('logout')
    .description('sign out on all devices')
    .action(() => logout(program.opts<ConnectionOptions>()));
  program
    .command('whoami')
    .description('show your account and its permissions')
    .action(() => whoami(program.opts<ConnectionOptions>()));
}

async function login(options: ConnectionOptions, oneTimeToken: string | undefined): Promise<void> {
  const session = await readSession();
  const server = serverOf(options, session);
  const token =
    oneTimeToken === '-'
      ? await standardInput()
      : (oneTimeToken ?? (session?.server === server ? session.signInToken : undefined));
  if (!token)
    throw new Error(
      `You have not signed in to ${server} before. Use the one-time token of your invitation: --token <token>`,
    );
  const signedIn = await new Guildbook({ server }).signIn(token);
  const signInToken = signedIn.signInToken ?? (oneTimeToken === undefined ? session?.signInToken : undefined);
  await writeSession({
    server,
    token: signedIn.token,
    expiresAt: signedIn.expiresAt,
    name: signedIn.principal.name,
    ...(signInToken ? { signInToken } : {}),
  });
  if (options.json)
    return printJson({ name: signedIn.principal.name, scopes: signedIn.scopes, expiresAt: signedIn.expiresAt });
  print(
    `Signed in to ${server} as ${signedIn.principal.name} (${signedIn.scopes.join(', ')}) until ${signedIn.expiresAt}.`,
  );
  print('To sign in again afterwards: guildbook login');
}

async function printBrowserLink(options: ConnectionOptions): Promise<void> {
  const session = await readSession();
  const server = serverOf(options, session);
  if (session?.server !== server || session.signInToken === undefined)
    throw new Error(`You are not signed in to ${server}. Sign in first: guildbook login --token <token>`);
  const { token, expiresAt } = await new Guildbook({ server }).signInLink(session.signInToken);
  const url = await signInLink(options, token);
  if (options.json) return printJson({ url, expiresAt });
  print(`Open this one-time link in your browser before ${expiresAt}:\n  ${url}`);
}

async function logout(options: ConnectionOptions): Promise<void> {
  await (await connect(options)).signOut();
  await forgetSession();
  if (options.json) return printJson({ signedOut: true });
  print('Signed out on all devices.');
}

async function whoami(options: ConnectionOptions): Promise<void> {
  const me = await (await connect(options)).me();
  if (options.json) return printJson(me);
  print(
    `${me.principal.name} (${me.principal.kind}): ${me.scopes.join(', ') || 'no permissions'}${me.expiresAt ? `, until ${me.expiresAt}` : ''}`,
  );
}

async function standardInput(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin) text += String(chunk);
  return text.trim();
}
