import { createRequire } from 'node:module';
import { LinearPattern } from '../text/linear-pattern.js';
import { entropy } from './entropy.js';
import type { SecretRule } from './secret-rule.js';

/** What is no secret after all: by patterns, or because one of the words stands in it. */
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

// The file is written by scripts/update-secret-rules.mjs in this shape; the spec compiles every rule of it.
const SET = createRequire(import.meta.url)('./gitleaks/rules.json') as RuleSet;

export const GITLEAKS_VERSION = SET.version;

type AllowlistCheck = (secret: string, match: string) => boolean;

function allowlistCheck({ target, regexes, stopwords }: AllowlistEntry): AllowlistCheck {
  const patterns = regexes.map((regex) => new LinearPattern(regex));
  return (secret, match) => {
    const looked = target === 'secret' ? secret : match;
    const lower = secret.toLowerCase();
    return stopwords.some((word) => lower.includes(word)) || patterns.some((pattern) => pattern.test(looked));
  };
}

/**
 * The same rule with a smaller automaton. `[\\w.-]{0,50}?` at the beginning takes the whole name of a value into the
 * match, and changes neither whether there is one nor what the secret is. An upper bound of hundreds costs a state for
 * each; without it, what is longer than any key is taken whole.
 */
function simplifyRegex(regex: string): string {
  return regex
    .replace('[\\w.-]{0,50}?', '')
    .replace(/\{(\d{1,4}),(\d{1,4})\}/g, (bounds, least: string, most: string) =>
      Number(most) >= 64 ? `{${least},}` : bounds,
    );
}

/** For rules whose keywords are everywhere: what a match of them cannot do without. */
const REQUIRED_PATTERNS = new Map([
  ['generic-api-key', /[=>:|,][\x60'"\s=]{0,5}[\w.=+/-]{10}/],
  ['vault-service-token', /s\.[\w-]{24}/i],
  ['twilio-api-key', /SK[0-9a-f]{8}/i],
]);

const GLOBAL_ALLOWLIST = SET.everywhere.map(allowlistCheck);

/** The rule set of gitleaks, which others keep; see src/untrusted/redaction/gitleaks for its version and licence. */
export const GITLEAKS_RULES: readonly SecretRule[] = SET.rules.map((rule) => {
  const least = rule.entropy ?? 0;
  const needs = REQUIRED_PATTERNS.get(rule.id);
  const excuses = [...GLOBAL_ALLOWLIST, ...(rule.exceptions ?? []).map(allowlistCheck)];
  return {
    id: rule.id,
    keywords: rule.keywords,
    pattern: new LinearPattern(simplifyRegex(rule.regex)),
    ...(needs === undefined ? {} : { requires: needs }),
    window: { before: 80, after: 240 },
    accepts: (secret, match) => entropy(secret) > least && !excuses.some((excused) => excused(secret, match)),
  };
});
