/** What one pattern finds, and what takes its place. */
export interface Replacement {
  readonly pattern: RegExp;
  readonly replacement: string;
}

/** Words after which a dotted name is a host, whatever its last label is. */
const BEFORE_HOST = String.raw`(?:\b(?:[a-z]{0,20}host(?:name)?|server|domain|endpoint|address|resolve|lookup|getaddrinfo|connect(?:ing|ion)? to|ssh|scp|ping|nslookup|telnet)\b|(?<![\w-])-h)`;
const NAME = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const LOCAL = String.raw`(?!(?:localhost|127\.0\.0\.1|0\.0\.0\.0)\b)`;

/** A host without a domain, where nothing else can stand: `--host db1`, `PGHOST=db1`, `"host": "db1"`. */
const BARE_HOST: Replacement = {
  pattern: new RegExp(
    String.raw`((?:--?host(?:name)?[= ]|\b\w{0,20}host(?:name)?=|["'](?:\w{0,20}host|hostname|server)["']\s{0,3}:\s{0,3}|\b(?:psql|pg_\w{1,20}|createdb|dropdb|mysql\w{0,10}|redis-cli|mongo\w{0,10})\b[^|;&\n]{0,200} -h[ =]?)["']?)${LOCAL}${NAME}(?![\w.([])`,
    'giu',
  ),
  replacement: '$1[host]',
};

/** Hosts that only the words around them tell, and queries of addresses without a scheme. */
export const NAMED_HOSTS: readonly Replacement[] = [
  // `server: 'db.acme.shop'`, `-h db.acme.shop`, `could not resolve host: db.acme.shop`
  {
    pattern: new RegExp(
      String.raw`(${BEFORE_HOST}["']?(?: is)?\s{0,3}[=:]?\s{0,3}["'(]?)${LOCAL}${NAME}(?:\.${NAME}){1,8}(?![\w(])(?<!\.(?:c|cpp|cs|csv|go|h|html|java|jsx?|ini|json|log|md|py|rb|rs|sh|sql|toml|tsx?|txt|xml|ya?ml))`,
      'giu',
    ),
    replacement: '$1[host]',
  },
  {
    pattern: /(?<=\b(?:ssh|scp|sftp|rsync)\b[^|;&\n]{0,200} )[\w.-]{1,64}@[\w-]{1,63}(?![\w.@])/gi,
    replacement: '[email]',
  },
  // names that are reserved for examples, and services that only exist in a network of one's own
  {
    pattern: new RegExp(
      String.raw`(?<![\w./-])${NAME}(?:\.${NAME}){0,6}\.(?:example|invalid|onion|intra|lan|home\.arpa|svc(?:\.cluster)?)(?![\w(-]|\.\w)`,
      'giu',
    ),
    replacement: '[host]',
  },
  // the query of an address without a scheme: `localhost:3000/orders?user=ann`, `/orders?user=ann`
  { pattern: /(?<=[\w\])/.-])\?(?=[\w[%][\w.[\]%-]{0,79}=)[^\s"'`<>)]{1,4000}/gu, replacement: '' },
  BARE_HOST,
];
