import { createRequire } from 'node:module';
import { LinearPattern } from '../text/linear-pattern.js';
import { entropy } from './entropy.js';
import { isIdForm } from './known-ids.js';
import type { SecretRule } from './secret-rule.js';

/** Excludes matches that are no secrets: by patterns, or by words that the secret contains. */
interface AllowlistEntry {
  readonly target: string;
  readonly regexes: readonly string[];
  readonly stopwords: readonly string[];
}

interface RuleSet {
  readonly version: string;
  readonly everywhere: readonly AllowlistEntry[];
  readonly rules: readonly {
    readonly id: string;
    readonly regex: string;
    readonly keywords: readonly string[];
    readonly entropy?: number;
    readonly exceptions?: readonly AllowlistEntry[];
  }[];
}

// scripts/update-secret-rules.mjs writes the file in this shape; the spec compiles each of its rules.
const SET = createRequire(import.meta.url)('./gitleaks/rules.json') as RuleSet;

export const GITLEAKS_VERSION = SET.version;

type AllowlistCheck = (secret: string, match: string) => boolean;

function allowlistCheck({ target, regexes, stopwords }: AllowlistEntry): AllowlistCheck {
  const patterns = regexes.map((regex) => new LinearPattern(regex));
  return (secret, match) => {
    const scanned = target === 'secret' ? secret : match;
    const lower = secret.toLowerCase();
    return stopwords.some((word) => lower.includes(word)) || patterns.some((pattern) => pattern.test(scanned));
  };
}

/**
 * Rewrites a regular expression so that its automaton is smaller. `[\\w.-]{0,50}?` at the beginning includes the name
 * of a value in the match, and changes neither whether there is a match nor the secret. An upper bound of hundreds
 * costs one state per repetition; without the bound, a value longer than any key is matched as a whole.
 */
function simplifyRegex(regex: string): string {
  return regex
    .replace('[\\w.-]{0,50}?', '')
    .replace(/\{(\d{1,4}),(\d{1,4})\}/g, (bounds, least: string, most: string) =>
      Number(most) >= 64 ? `{${least},}` : bounds,
    );
}

/** For rules with very common keywords: a cheap pattern that every match contains. */
const REQUIRED_PATTERNS = new Map([
  ['generic-api-key', /[=>:|,][\x60'"\s=]{0,5}[\w.=+/-]{10}/],
  ['vault-service-token', /s\.[\w-]{24}/i],
  ['twilio-api-key', /SK[0-9a-f]{8}/i],
]);

/** What is before an identifier: `sha256:`, `commit=`. */
const NAME_OF_ID = /(?:sha-?[0-9]{1,3}|md5|digest|checksum|commit|revision|[_-]?id)["']?\s{0,2}[:=]\W{0,3}$/i;

/** True for `max_tokens reached in sha256:…`, which a rule for values of any kind takes for a token. */
const isNamedId: AllowlistCheck = (secret, match) =>
  isIdForm(secret) && NAME_OF_ID.test(match.slice(0, match.lastIndexOf(secret)));

const GLOBAL_ALLOWLIST = SET.everywhere.map(allowlistCheck);

/**
 * The rule set of gitleaks, which its project maintains. See src/untrusted/redaction/gitleaks for its version and
 * licence.
 */
export const GITLEAKS_RULES: readonly SecretRule[] = SET.rules.map((rule) => {
  const least = rule.entropy ?? 0;
  const needs = REQUIRED_PATTERNS.get(rule.id);
  const excuses = [
    ...(rule.id.startsWith('generic-') ? [isNamedId] : []),
    ...GLOBAL_ALLOWLIST,
    ...(rule.exceptions ?? []).map(allowlistCheck),
  ];
  return {
    id: rule.id,
    keywords: rule.keywords,
    pattern: new LinearPattern(simplifyRegex(rule.regex)),
    ...(needs === undefined ? {} : { requires: needs }),
    window: { before: 80, after: 240 },
    accepts: (secret, match) => entropy(secret) > least && !excuses.some((excused) => excused(secret, match)),
  };
});
