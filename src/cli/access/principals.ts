import type { Command } from 'commander';
import type { Issued, Rotation } from '../../access/identity/access.schema.js';
import type { Guildbook } from '../../client/guildbook.js';
import { answer, type ConnectionOptions } from '../server/session.js';
import { parseDays } from '../terminal/days.js';
import { print } from '../terminal/terminal.js';

/** The commands that agents, services and people have in common. `idOf` finds one by name or id. */
interface PrincipalKind {
  readonly noun: 'agent' | 'service' | 'person';
  readonly connection: () => ConnectionOptions;
  readonly idOf: (client: Guildbook, given: string) => Promise<string>;
}

/** `guildbook agents rotate`, `guildbook services rotate`. */
export function rotateCommand(parent: Command, { noun, connection, idOf }: PrincipalKind): void {
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
export function disableCommand(parent: Command, { noun, connection, idOf }: PrincipalKind): void {
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
export const printIssued =
  (noun: string) =>
  ({ principal, token }: Issued): void =>
    print(`Registered ${noun} ${principal.name}. Token (shown only once):\n  ${token}`);
