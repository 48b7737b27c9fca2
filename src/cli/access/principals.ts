import type { Command } from 'commander';
import type { Rotation } from '../../access/identity/access.schema.js';
import type { Guildbook } from '../../client/guildbook.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { parseDays } from '../terminal/days.js';
import { print, printJson } from '../terminal/terminal.js';

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
    .action(async (given: string, rotation: Rotation) => {
      const options = connection();
      const client = await connect(options);
      const issued = await client.principals.rotate(await idOf(client, given), rotation);
      if (options.json) return printJson(issued);
      const { name, id } = issued.principal;
      print(`New token for ${name}, id ${id} (shown only once):\n  ${issued.token}`);
    });
}

/** `guildbook agents disable`, `guildbook services disable`, `guildbook people disable`. */
export function disableCommand(parent: Command, { noun, connection, idOf }: PrincipalKind): void {
  parent
    .command(`disable <${noun}>`)
    .description(`disable the ${noun}; all its credentials stop working immediately`)
    .action(async (given: string) => {
      const options = connection();
      const client = await connect(options);
      const disabled = await client.principals.disable(await idOf(client, given));
      if (options.json) return printJson(disabled);
      print(`Disabled ${disabled.name}, id ${disabled.id}.`);
    });
}
