import { lintSource } from '@secretlint/core';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';
import { redact } from '../src/untrusted/redaction/redact.js';
import { plainText } from '../src/untrusted/text/plain-text.js';

/** A redacted text and the number of secrets found in it. */
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
    const { text: redacted, redactions } = redact(text);
    return { text: redacted, found: redactions.reduce((sum, { count }) => sum + count, 0) };
  },
};

/**
 * The patterns that a project typically starts with: prefixes of three providers, a bearer token, and a value named
 * password or token.
 */
const FIVE_PATTERNS = [
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
    const clean = FIVE_PATTERNS.reduce(
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
    // From the end, so that earlier positions stay valid.
    const ranges = result.messages.map(({ range }) => range).sort((a, b) => b[0] - a[0]);
    const clean = ranges.reduce((rest, [from, to]) => `${rest.slice(0, from)}[REDACTED]${rest.slice(to)}`, text);
    return { text: clean, found: ranges.length };
  },
};

export const REDACTORS: readonly Redactor[] = [guildbook, fivePatterns, secretlint];

/** True if no labelled secret occurs in the output, also not in the form in which texts are stored. */
export const isRemoved = (output: string, secrets: readonly string[]): boolean =>
  secrets.every((secret) => !output.includes(secret) && !output.includes(plainText(secret)));
