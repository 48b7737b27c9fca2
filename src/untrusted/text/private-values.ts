import { generalise, settled } from './generalise.js';

type Rule = readonly [pattern: RegExp, replacement: string | ((...groups: string[]) => string)];

/** Spellings of `/`, `:` and `@` under which JSON, URLs and `sed` hide an address or a home folder. */
const SPELLED: readonly Rule[] = [
  [/\\\//g, '/'],
  [/%2f/gi, '/'],
  [/%3a/gi, ':'],
  [/%40/gi, '@'],
];

/** Words after which a dotted name is a host, whatever its last label is. */
const BEFORE_HOST = String.raw`(?:\b(?:[a-z]{0,20}host(?:name)?|server|domain|endpoint|address|resolve|lookup|getaddrinfo|connect(?:ing|ion)? to|ssh|scp|ping|nslookup|telnet)\b|(?<![\w-])-h)`;
const NAME = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const LOCAL = String.raw`(?!(?:localhost|127\.0\.0\.1|0\.0\.0\.0)\b)`;

/** A host without a domain, where nothing else can stand: `--host db1`, `PGHOST=db1`, `"host": "db1"`. */
const BARE_HOST: Rule = [
  new RegExp(
    String.raw`((?:--?host(?:name)?[= ]|\b\w{0,20}host(?:name)?=|["'](?:\w{0,20}host|hostname|server)["']\s{0,3}:\s{0,3}|\b(?:psql|pg_\w{1,20}|createdb|dropdb|mysql\w{0,10}|redis-cli|mongo\w{0,10})\b[^|;&\n]{0,200} -h[ =]?)["']?)${LOCAL}${NAME}(?![\w.([])`,
    'giu',
  ),
  '$1[host]',
];

const RULES: readonly Rule[] = [
  // `server: 'db.acme.shop'`, `-h db.acme.shop`, `could not resolve host: db.acme.shop`
  [
    new RegExp(
      String.raw`(${BEFORE_HOST}["']?(?: is)?\s{0,3}[=:]?\s{0,3}["'(]?)${LOCAL}${NAME}(?:\.${NAME}){1,8}(?![\w(])(?<!\.(?:c|cpp|cs|csv|go|h|html|java|jsx?|ini|json|log|md|py|rb|rs|sh|sql|toml|tsx?|txt|xml|ya?ml))`,
      'giu',
    ),
    '$1[host]',
  ],
  [/(?<=\b(?:ssh|scp|sftp|rsync)\b[^|;&\n]{0,200} )[\w.-]{1,64}@[\w-]{1,63}(?![\w.@])/gi, '[email]'],
  // names that are reserved for examples, and services that only exist in a network of one's own
  [
    new RegExp(
      String.raw`(?<![\w./-])${NAME}(?:\.${NAME}){0,6}\.(?:example|invalid|onion|intra|lan|home\.arpa|svc(?:\.cluster)?)(?![\w(-]|\.\w)`,
      'giu',
    ),
    '[host]',
  ],
  // the query of an address without a scheme: `localhost:3000/orders?user=ann`, `/orders?user=ann`
  [/(?<=[\w\])/.-])\?(?=[\w[%][\w.[\]%-]{0,79}=)[^\s"'`<>)]{1,4000}/gu, ''],
];

/**
 * The text without what identifies a person, a machine or a network: a URL becomes `[url]` with its query and all else,
 * an absolute path `[path]` or `[path]/name.py`, an e-mail address `[email]`, a host `[host]`. Local addresses stay, and
 * so do the redactor's markers. The rule for every text that goes to a model; redact first.
 */
export function withoutPrivateValues(text: string): string {
  return settled(text, (current) => applyAll([BARE_HOST], addressesRemoved(current)));
}

/** The same, but hosts without a domain stay: `psql -h db1`. For texts that do not leave their agent. */
export function withoutAddresses(text: string): string {
  return settled(text, addressesRemoved);
}

function addressesRemoved(text: string): string {
  return applyAll(RULES, generalise(applyAll(SPELLED, text)));
}

function applyAll(rules: readonly Rule[], text: string): string {
  return rules.reduce(
    // The overloads of `replace` take a text or a function, not their union.
    (current, [pattern, replacement]) => current.replace(pattern, replacement as string),
    text,
  );
}
