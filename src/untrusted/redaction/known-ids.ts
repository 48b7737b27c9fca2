import { looksLikeWords } from '../text/letter-pairs.js';

/**
 * Identifiers that programs give to their runs, calls and versions. They look as random as keys, and reports are full
 * of them; a key of the same form is a secret only directly after its name.
 */

/** The kinds of objects that services put before an id. `sk`, `key`, `pat` and the like are missing on purpose. */
const KINDS = new Set(
  `resp chatcmpl cmpl msg toolu srvtoolu call run thread asst file batch step req request evt event item rs fc ws ftjob
  vs conv gen trace span task job exec execution agent skill memory mem proposal user usr org team proj project acct cus
  pi ch sub in price prod txn ord inv cs seti pm src po tr card rec rcpt wf dep dpl prj ins vol snap vpc subnet sg ami
  eni build commit node worker runner session conversation message attempt trial error incident doc chunk row`.split(
    /\s+/,
  ),
);
const KEY_PREFIX = /^(?:sk|pk|rk|ak|pat|tok)$/;
/** Directly before the random part, these name a secret; `auth-agent-…` is the name of an agent. */
const SECRET_WORD = /^(?:key|token|api|secret|sess|auth|pass|password|live|test|prod)$/;

const HEX_PARTS = /^[0-9a-f]{1,64}(?:-[0-9a-f]{1,64}){0,8}$/i;
/** UUID and hashes; ULID and TypeID; nanoid; KSUID; cuid; cuid2; xid. */
const FORMS = [
  HEX_PARTS,
  /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/,
  /^[0-7][0-9a-hjkmnp-tv-z]{25}$/,
  /^[A-Za-z0-9_-]{21}$/,
  /^[0-2][0-9A-Za-z]{26}$/,
  /^c[a-z0-9]{24}$/,
  /^[a-z][a-z0-9]{23}$/,
  /^[cd][0-9a-v]{19}$/,
];
const AFTER_KIND = /^[A-Za-z0-9]{16,32}$/;
const MAX_PREFIXES = 4;

/** True for a token in the form of a widespread kind of identifier, alone or behind words: `ci-runner-7f3a9c2e41`. */
export function isIdForm(token: string): boolean {
  if (token.length > 160) return false;
  let rest = token;
  let kind = '';
  for (let n = 0; n <= MAX_PREFIXES; n++) {
    if (FORMS.some((form) => form.test(rest)) || (KINDS.has(kind) && AFTER_KIND.test(rest)))
      return !SECRET_WORD.test(kind);
    const prefix = /^([A-Za-z]{2,20})[_-]/.exec(rest);
    if (prefix === null) return false;
    kind = (prefix[1] ?? '').toLowerCase();
    if (KEY_PREFIX.test(kind) || !(KINDS.has(kind) || kind.length <= 3 || looksLikeWords(kind))) return false;
    rest = rest.slice(prefix[0].length);
  }
  return false;
}
