import { z } from 'zod';

export const SERVER_NAME = 'guildbook';
export const SERVER_TITLE = 'Guildbook';
export const CARD_TYPE = 'application/mcp-server-card+json';
const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json';
/** The revision without a handshake. The library's list of versions holds those before it. */
const LATEST_REVISION = '2026-07-28';

const Input = z.object({
  description: z.string(),
  isRequired: z.boolean(),
  isSecret: z.boolean().optional(),
  placeholder: z.string().optional(),
});

/** What a client needs to connect, in the form of SEP-2127 (MCP server cards). */
export const ServerCard = z.object({
  $schema: z.literal(SCHEMA),
  name: z.string().regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  version: z.string(),
  title: z.string(),
  description: z.string().max(100),
  remotes: z.array(
    z.object({
      type: z.literal('streamable-http'),
      url: z.string(),
      variables: z.record(z.string(), Input).optional(),
      headers: z.array(Input.extend({ name: z.string() })),
      supportedProtocolVersions: z.array(z.string()),
    }),
  ),
});
type ServerCard = z.infer<typeof ServerCard>;

const AUTHORIZATION = {
  name: 'Authorization',
  description: 'Bearer, a space, and the token of an agent',
  isRequired: true,
  isSecret: true,
  placeholder: 'Bearer gbt_…',
};
const ORIGIN = {
  description: 'The address of this server, from which the card was fetched',
  isRequired: true,
  placeholder: 'http://127.0.0.1:4747',
};

/**
 * The card of this server. The same for every caller: it holds nothing from the database. The only address in it is the
 * public one, which a caller has to know to fetch the card; without one, a variable stands for it.
 */
export function serverCard(
  version: string,
  publicUrl: string | undefined,
  olderVersions: readonly string[],
): ServerCard {
  return {
    $schema: SCHEMA,
    name: `${namespaceOf(publicUrl)}/${SERVER_NAME}`,
    version,
    title: SERVER_TITLE,
    description: 'Lessons and approved skills for agents: recall, report and check actions.',
    remotes: [
      {
        type: 'streamable-http',
        url: `${publicUrl ?? '{origin}'}/mcp`,
        ...(publicUrl === undefined ? { variables: { origin: ORIGIN } } : {}),
        headers: [AUTHORIZATION],
        supportedProtocolVersions: [LATEST_REVISION, ...olderVersions],
      },
    ],
  };
}

const DOMAIN_NAME = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*$/;

/** The public domain name in reverse; `localhost` for an address without one. */
function namespaceOf(publicUrl: string | undefined): string {
  const host = publicUrl === undefined ? '' : new URL(publicUrl).hostname;
  return DOMAIN_NAME.test(host) ? host.split('.').reverse().join('.') : 'localhost';
}
