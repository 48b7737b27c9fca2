import type { Replacement } from './named-hosts.js';

/** Accounts that many machines share. They identify no person, and a command may need them. */
export const SHARED_ACCOUNTS: ReadonlySet<string> = new Set(
  `admin app default node public root runner shared ubuntu user users vscode postgres mysql www-data nginx git
   jenkins deploy guest test daemon docker redis`.split(/\s+/),
);

/** Names of fields and variables whose value is a person: `PGUSER`, `owner`, `customer_name`, `reviewed_by`. */
const ROLE = String.raw`(?:(?:PG|DB)?user|log(?:in|name)|owner|author|committer|assignee|reviewer|manager|employee|customer|patient|client|contact|recipient|sender|signer|approver)`;
const KEY = String.raw`(?:[\w-]{0,30}[_-])?(?:${ROLE}(?:[_-]?name)?|(?:full|first|last|given|family|display|real|nick|sur)[_-]?name|surname|(?:reviewed|approved|created|signed|assigned|reported|written|changed)[_-]by)`;
const SHARED = [...SHARED_ACCOUNTS].join('|');
const NO_PERSON = String.raw`(?!(?:${SHARED}|none|null|nil|true|false|undefined|self|this|unknown|anonymous|string|text)(?![\p{L}\p{N}_-]))`;
const WORD = String.raw`\p{L}[\p{L}\p{N}_'’-]{1,60}`;
const END = String.raw`(?![\p{L}\p{N}_(\[=]|[.@:]\p{L})`;

/** People that only the name before them tells: `user=ann`, `--owner ann`, `"customer_name": "Ann Lee"`. */
export const NAMED_PEOPLE: readonly Replacement[] = [
  // a word, or several in quotation marks
  {
    pattern: new RegExp(
      String.raw`((?<![\p{L}\p{N}_.-])(?:--?)?${KEY}=)(?:(["'])${NO_PERSON}${WORD}(?:[ .,]{1,2}${WORD}){0,4}\.?\2|${NO_PERSON}${WORD}${END})`,
      'giu',
    ),
    replacement: '$1$2[user]$2',
  },
  {
    pattern: new RegExp(
      String.raw`((?<![\p{L}\p{N}_.-])(["'])${KEY}\2\s{0,3}:\s{0,3})(["'])${NO_PERSON}${WORD}(?:[ .,]{1,2}${WORD}){0,4}\.?\3`,
      'giu',
    ),
    replacement: '$1$3[user]$3',
  },
  // `user` alone is also a switch, as of `pip install --user x`
  {
    pattern: new RegExp(
      String.raw`((?<![\w-])--(?:username|owner|author|assignee|reviewer|committer) )(?:(["'])${NO_PERSON}${WORD}(?: ${WORD}){0,4}(?: <[^<>"']{1,80}>)?\2|${NO_PERSON}${WORD}${END})`,
      'giu',
    ),
    replacement: '$1$2[user]$2',
  },
];
