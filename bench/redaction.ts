/**
 * npm run bench:redaction -- [--corpus FILE …] [--data FOLDER] [--prose PATH …] [--code PATH …] [--seed N]
 *
 * Compares redaction with a five-pattern baseline and secretlint's recommended preset on the same texts in one run:
 * recall ("gone": no labelled secret occurs in the output), findings per 100 kB of prose and code without secrets, MB/s
 * of processor time after one warm-up pass, and the slowest hostile text of 1 MB.
 */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { GITLEAKS_VERSION } from '../src/untrusted/redaction/gitleaks-rules.js';
import { MAX_SCANNED_LENGTH } from '../src/untrusted/redaction/redact.js';
import { SECRET_RULES } from '../src/untrusted/redaction/secret-spans.js';
import { isRemoved, REDACTORS, type Redactor } from './redactors.js';
import { readCorpus, readTexts, type SecretRow } from './secret-corpus.js';
import { freshSet } from './secret-formats.js';
import { placesSet } from './secret-places.js';
import { SIBLINGS } from './secret-siblings.js';

const HELP = `npm run bench:redaction -- [options]
  --corpus FILE   labelled rows, JSON lines or an array: {"text": "…", "secrets": ["…"], "label": "tp"|"neg"}; repeatable.
                  "recall" of the last line is over these; without one, over the held-out half of our own set
  --data FOLDER   a data folder: every secrets/*.jsonl in it is a corpus, skills and documents in it are prose
  --prose PATH    a file or folder of prose without secrets; repeatable (default: our documents)
  --code PATH     a file or folder of code without secrets; repeatable (default: our sources and some dependencies)
  --seed N        seed of the generated texts (default 1)

Smallest run: --prose README.md --code scripts`;

const { values } = parseArgs({
  options: {
    corpus: { type: 'string', multiple: true, default: [] },
    data: { type: 'string' },
    prose: { type: 'string', multiple: true, default: [] },
    code: { type: 'string', multiple: true, default: [] },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const below = (...parts: string[]): string[] => [join(...parts)].filter((path) => existsSync(path));
const data = values.data;
if (data !== undefined && !existsSync(data)) throw new Error(`the folder ${data} does not exist`);
const shared =
  data === undefined
    ? []
    : below(data, 'secrets').flatMap((folder) =>
        readdirSync(folder)
          .filter((name) => name.endsWith('.jsonl'))
          .map((name) => join(folder, name)),
      );
const ofData =
  data === undefined
    ? []
    : [...below(data, 'skills-corpus', 'skills.jsonl'), ...below(data, 'retrieval', 'cranfield', 'docs.jsonl')];
const given = [...values.corpus, ...shared].map((file) => [basename(file), readCorpus(file)] as const);
const { development, heldOut } = freshSet(Number(values.seed));
const places = placesSet(Number(values.seed));
const siblings = placesSet(Number(values.seed), SIBLINGS);
const corpora = [
  ...given,
  ['own, development half', development] as const,
  ['own, held-out half', heldOut] as const,
  ['places in files and commands, development half', places.development] as const,
  ['places in files and commands, held-out half', places.heldOut] as const,
  ['other places, development half', siblings.development] as const,
  ['other places, held-out half', siblings.heldOut] as const,
];
const packages = ['handlebars', 'rxjs', 'zod', 'pg', 'fastify'].flatMap((name) => below('node_modules', name));
const prose = readTexts(values.prose.length > 0 ? values.prose : [...ofData, ...below('docs'), 'README.md'], 'prose');
const code = readTexts(
  values.code.length > 0 ? values.code : [...below('src'), ...below('scripts'), ...packages],
  'code',
);

const seconds = async (work: () => unknown): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
};
const characters = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + text.length, 0);

async function recallOf(redactor: Redactor, rows: readonly SecretRow[]): Promise<{ recall: number; excess: number }> {
  let [gone, all, excess] = [0, 0, 0];
  for (const { text, secrets } of rows) {
    const output = await redactor.redact(text);
    if (secrets.length === 0) excess += output.found > 0 ? 1 : 0;
    else {
      all++;
      if (isRemoved(output.text, secrets)) gone++;
    }
  }
  return { recall: all === 0 ? 1 : gone / all, excess };
}

async function falsePositives(redactor: Redactor, texts: readonly string[]): Promise<number> {
  let found = 0;
  for (const text of texts) found += (await redactor.redact(text)).found;
  return found / (characters(texts) / 100_000);
}

const ONE_MEGABYTE = 1_000_000;
const keywords = [...new Set(SECRET_RULES.flatMap((rule) => rule.keywords))];
const HOSTILE: readonly (readonly [string, string])[] = [
  ['all keywords', keywords.join(' ')],
  ['all keywords with values', keywords.join('="a1B2')],
  ['key=', 'key='],
  ['password="', 'password="'],
  ['headers of private keys', '-----BEGIN PRIVATE KEY-----\nMII'],
  ['random value after a keyword', 'secret k9Xq2Lm8Zt4Vb7 '],
  ['escapes', '\\"\\u0041%41'],
  ['base64', 'QUtJQQ'],
  ['broken lines', 'sk-\n'],
  ['one letter', 'a'],
  ['letter and digit', 'a1'],
];

/** The slowest hostile text, at the maximum scanned length and at 1 MB, in seconds of processor time. */
async function worst(redactor: Redactor): Promise<{ seconds: number; name: string }> {
  let slowest = { seconds: 0, name: '' };
  for (const size of [MAX_SCANNED_LENGTH, ONE_MEGABYTE]) {
    for (const [name, piece] of HOSTILE) {
      const text = piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
      const taken = await seconds(() => redactor.redact(text));
      if (taken > slowest.seconds) slowest = { seconds: taken, name: `${name}, ${size} characters` };
    }
  }
  return slowest;
}

console.log(`rules: ${GITLEAKS_VERSION} and our own: ${SECRET_RULES.length} in total`);
console.log(`texts: prose ${characters(prose)}, code ${characters(code)} characters in pieces of 4 kB`);
const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;
const results = [];
for (const redactor of REDACTORS) {
  const recalls: Record<string, number> = {};
  console.log(`\n${redactor.name}`);
  for (const [name, rows] of corpora) {
    const { recall, excess } = await recallOf(redactor, rows);
    recalls[name] = recall;
    const counter = rows.filter(({ secrets }) => secrets.length === 0).length;
    const also = counter === 0 ? '' : `; ${excess} of ${counter} counter-examples also redacted`;
    console.log(`  gone  ${percent(recall).padStart(9)}  of ${rows.length - counter} in ${name}${also}`);
  }
  const falsePositivesPer100kB = {
    prose: await falsePositives(redactor, prose),
    code: await falsePositives(redactor, code),
  };
  const texts = [...prose, ...code];
  const taken = await seconds(async () => {
    for (const text of texts) await redactor.redact(text);
  });
  const mbPerSecond = characters(texts) / 1e6 / taken;
  const slowest = await worst(redactor);
  console.log(
    `  false positives per 100 kB  prose ${falsePositivesPer100kB.prose.toFixed(2)}  code ${falsePositivesPer100kB.code.toFixed(2)}`,
  );
  console.log(`  ${mbPerSecond.toFixed(1)} MB/s;  worst ${slowest.seconds.toFixed(2)} s (${slowest.name})`);
  results.push({ recalls, falsePositivesPer100kB, mbPerSecond, worstSeconds: slowest.seconds });
}

const [ours, five, preset] = results;
const rows = given.length > 0 ? given.flatMap(([, list]) => list) : heldOut;
const [first] = REDACTORS;
const recall = first === undefined ? 0 : (await recallOf(first, rows)).recall;
console.log(JSON.stringify({ recall, ...ours, baselines: { fivePatterns: five, secretlint: preset } }));
