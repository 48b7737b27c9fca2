import { lintSource } from '@secretlint/core';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';
import { redact } from '../src/untrusted/redaction/redact.js';
import { plainText } from '../src/untrusted/text/plain-text.js';

/** What stands in the place of secrets, and how many were found. */
export interface RedactionResult {
  readonly text: string;
  readonly found: number;
}

export interface Redactor {
  readonly name: string;
  readonly redact: (text: string) => RedactionResult | Promise<RedactionResult>;
}

const guildbook: Redactor = {
  name: 'guildbook',
  redact: (text) => {
    const { text: redacted, redactions: findings } = redact(text);
    return { text: redacted, found: findings.reduce((sum, { count }) => sum + count, 0) };
  },
};

/** What a project writes first: prefixes of three providers, a bearer token, and a value called password or token. */
const FIVE = [
  /\bsk-[A-Za-z0-9_-]{20,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bghp_[A-Za-z0-9]{36}\b/g,
  /\bBearer\s+[A-Za-z0-9._~+/-]{20,}=*/gi,
  /\b(?:password|passwd|token|secret|api_?key)\s*[:=]\s*['"]?[^\s'"]{8,}/gi,
];

const fivePatterns: Redactor = {
  name: 'five patterns',
  redact: (text) => {
    let found = 0;
    const clean = FIVE.reduce(
      (rest, pattern) =>
        rest.replace(pattern, () => {
          found++;
          return '[REDACTED]';
        }),
      text,
    );
    return { text: clean, found };
  },
};

const secretlint: Redactor = {
  name: 'secretlint preset',
  redact: async (text) => {
    const result = await lintSource({
      source: { filePath: 'text.txt', content: text, ext: '.txt', contentType: 'text' },
      options: { noPhysicFilePath: true, config: { rules: [{ id: 'preset', rule: creator }] } },
    });
    // From the end, so that the earlier positions hold.
    const ranges = result.messages.map(({ range }) => range).sort((a, b) => b[0] - a[0]);
    const clean = ranges.reduce((rest, [from, to]) => `${rest.slice(0, from)}[REDACTED]${rest.slice(to)}`, text);
    return { text: clean, found: ranges.length };
  },
};

export const REDACTORS: readonly Redactor[] = [guildbook, fivePatterns, secretlint];

/** Gone: no labelled secret occurs in the output any more, also not in the form that texts are stored in. */
export const isRemoved = (output: string, secrets: readonly string[]): boolean =>
  secrets.every((secret) => !output.includes(secret) && !output.includes(plainText(secret)));
