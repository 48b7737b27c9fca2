/** What one pattern finds, and what takes its place. */
export interface Replacement {
  readonly pattern: RegExp;
  readonly replacement: (...groups: string[]) => string;
}

/** Words after which a dotted name is a host with any last label. */
const BEFORE_HOST = String.raw`(?<![\w/-])(?:--?)?(?:[a-z]{0,20}host(?:name)?|server|domain|endpoint|address|resolve|lookup|getaddrinfo|connect(?:ing|ion)? to|ssh|scp|ping|nslookup|telnet)\b`;
/** Programs that take a host after `-h`; of others that is a switch. */
const CLIENTS = String.raw`\b(?:psql|pg_\w{1,20}|createdb|dropdb|mysql\w{0,10}|mariadb\w{0,10}|redis-cli|mongo\w{0,10}|clickhouse-client)\b[^|;&\n]{0,200} -h[ =]?["']?`;
const NAME = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const LOCAL = String.raw`(?!(?:localhost|127\.0\.0\.1|0\.0\.0\.0)\b)`;
const FILES =
  'a|c|cfg|conf|cpp|cs|csv|dat|go|h|html|ini|java|js|json|jsx|lock|log|md|o|out|py|rb|rs|sh|so|sql|toml|ts|tsx|txt|xml|yaml|yml';
const host = (before: string): string => `${before}[host]`;

/** Hosts that only the words around them tell, and the values in queries of addresses without a scheme. */
export const NAMED_HOSTS: readonly Replacement[] = [
  // `server: 'db.acme.shop'`, `could not resolve host: db.acme.shop`; the last label of a version is a number
  {
    pattern: new RegExp(
      String.raw`(${BEFORE_HOST}["']?(?: is)?\s{0,3}[=:]?\s{0,3}["'(]?)${LOCAL}${NAME}(?:\.${NAME}){0,7}\.[a-z][a-z0-9-]{1,23}(?![\w(-])(?<!\.(?:${FILES}))`,
      'giu',
    ),
    replacement: (_, before = '') => host(before),
  },
  {
    pattern: /(?<=\b(?:ssh|scp|sftp|rsync)\b[^|;&\n]{0,200} )[\w.-]{1,64}@[\w-]{1,63}(?![\w.@])/gi,
    replacement: () => '[email]',
  },
  // names that are reserved for examples, and services that only exist in a network of one's own
  {
    pattern: new RegExp(
      String.raw`(?<![\w.-]|(?<!(?<![\w:/])/)/)${NAME}(?:\.${NAME}){0,6}\.(?:example|invalid|onion|intra|lan|home\.arpa|svc(?:\.cluster)?)(?![\w(-]|\.\w)`,
      'giu',
    ),
    replacement: () => '[host]',
  },
  // `localhost:3000/orders?user=ann`, `GET orders?user=ann`: not `colou?r=`, and not an expression in code
  {
    pattern:
      /(?<=(?:[/\]][\w\])./%~-]{0,200}|:\d{2,5}|\b(?:GET|HEAD|POST|PUT|PATCH|DELETE) [\w./%-]{1,200}))\?(?=[\w[%][\w.[\]%-]{0,79}=)[^\s"'`<>)]{1,4000}/gu,
    replacement: (query) =>
      query.replace(/(?<==)(?!(?:true|false|\d{1,4})(?:[&#;]|$)|\[value\])[^&#;]{1,4000}/g, '[value]'),
  },
  {
    pattern: new RegExp(String.raw`(${CLIENTS})${LOCAL}${NAME}(?:\.${NAME}){1,8}(?![\w.([])(?<!\.(?:${FILES}))`, 'giu'),
    replacement: (_, before = '') => host(before),
  },
];

const BARE_HOST = new RegExp(
  String.raw`((?:--?host(?:name)?[= ]|\b\w{0,20}host(?:name)?=|["'](?:\w{0,20}host|hostname|server)["']\s{0,3}:\s{0,3})["']?|${CLIENTS})${LOCAL}${NAME}(?![\w.([])`,
  'giu',
);

/**
 * A generalised text also without hosts that have no domain, where nothing else can stand: `--host db1`, `PGHOST=db1`,
 * `"host": "db1"`. Such a name is often all that tells a remedy from the failed call, so that only models do not see it.
 */
export const withoutBareHosts = (text: string): string =>
  text.replace(BARE_HOST, (_, before: string) => `${before}<host>`);
