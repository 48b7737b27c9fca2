import type { Replacement } from './named-hosts.js';

/** Accounts that many machines share. They identify no person, and a command may need them. */
export const SHARED_ACCOUNTS: ReadonlySet<string> = new Set(
  `admin app default node public root runner shared ubuntu user users vscode postgres mysql www-data nginx git
   jenkins deploy guest test daemon docker redis`.split(/\s+/),
);
/** Values of such names that are none. */
const NO_PERSON = /^(?:none|null|nil|true|false|undefined|self|this|unknown|anonymous|string|text)$/i;

/** Names of fields and variables whose value is a person, with any prefix: `PGUSER`, `project_owner`. */
const PERSON =
  '(?:(?:PG|DB)?user(?:[_-]?name)?|log(?:in|name)|owner|author|committer|assignee|reviewer|employee|patient)';
/** With a word for a name or a deed: `customer_name`, `first-name`, `createdBy`. */
const NAMED =
  '(?:(?:owner|author|committer|assignee|reviewer|employee|patient|customer|client|contact|manager|recipient|sender|full|first|last|given|family|display|real|nick|sur)[_-]?name|(?:reviewed|approved|created|signed|assigned|reported|written|changed|modified|updated)[_-]?by)';
const KEY = String.raw`(?:(?:[\w-]{0,30}[_-])?(?:${PERSON}|${NAMED}))`;
const WORD = String.raw`\p{L}[\p{L}\p{N}_'’-]{0,60}`;
/** `Ann Lee`, `Lee, Ann`, `Ann B. Lee`. */
const WORDS = String.raw`${WORD}(?:[ .,]{1,2}${WORD}){0,4}\.?`;
const QUOTE = String.raw`\\{0,3}["']`;
const END = String.raw`(?![\p{L}\p{N}_(\[=@]|[.:][\p{L}\p{N}])`;

/** A value that is a person and not a shared account, a word of code or the field of an object: `owner=post.owner`. */
function masked(before: string, quote: string, value: string): string {
  const key = /[\w-]{1,60}(?=\W{0,12}$)/.exec(before)?.[0] ?? '';
  const own = value.split('.').at(-1)?.toLowerCase() ?? '';
  const isPerson = !SHARED_ACCOUNTS.has(value.toLowerCase()) && !NO_PERSON.test(value);
  const isField =
    quote === '' &&
    own.length > 1 &&
    key
      .toLowerCase()
      .replace(/^-{1,2}/, '')
      .endsWith(own);
  return `${before}${quote}${isPerson && !isField ? '[user]' : value}${quote}`;
}

const rule = (pattern: string, flags = 'giu'): Replacement => ({
  pattern: new RegExp(pattern, flags),
  replacement: (_, before = '', quote = '', quoted, plain) => masked(before, quote ?? '', quoted ?? plain ?? ''),
});

const ROLES = String.raw`(?:author|committer|[a-z-]{1,30}-by|owner|assignee|reviewer|${NAMED})`;
const line = (before: string, after: string): Replacement => ({
  pattern: new RegExp(String.raw`(${before}${ROLES}: {1,10})(${WORDS})${after}`, 'gimu'),
  replacement: (_, start = '', value = '') => masked(start, '', value),
});

/** Either several words in quotation marks, the second group, or one name, `ann` or `ann.lee`. */
const VALUE = String.raw`(?:(${QUOTE})(${WORDS}(?: <[^<>"'\n]{1,80}>)?)\2|(${WORD}(?:\.${WORD}){0,2})${END})`;

/** People that only the name before them tells: `user=ann`, `--owner ann`, `"customer_name": "Ann Lee"`. */
export const NAMED_PEOPLE: readonly Replacement[] = [
  rule(String.raw`((?<![\p{L}\p{N}_.-])(?:--?)?${KEY}=)${VALUE}`),
  // keys of JSON, also inside of a text in JSON, may be written in one: `projectOwner`
  {
    pattern: new RegExp(
      String.raw`((${QUOTE})[\w-]{0,30}(?:${PERSON}|${NAMED})\2\s{0,3}:\s{0,3})(${QUOTE})(${WORDS})\3`,
      'giu',
    ),
    replacement: (_, before = '', _key, quote = '', value = '') => masked(before, quote, value),
  },
  // `user` alone is also a switch, as of `pip install --user x`
  rule(String.raw`((?<![\w-])--(?:username|owner|author|assignee|reviewer|committer) )${VALUE}`),
  rule(
    String.raw`(\b(?:psql|pg_\w{1,20}|createdb|dropdb)\b[^|;&\n]{0,200} -U[ =]?|\b(?:mysql|mariadb)\w{0,10}\b[^|;&\n]{0,200} -u[ =]?|\bssh\b[^|;&\n]{0,200} -l )${VALUE}`,
  ),
  // of `git log` and of a commit's message, with an address; lines of settings
  line(String.raw`(?<![\p{L}\p{N}_-])`, String.raw`(?=\s{0,3}<)`),
  line(String.raw`^[ \t]{0,40}(?:- )?`, '$'),
];
