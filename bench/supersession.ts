/**
 * npm run bench:supersession -- [--entries 10000] [--proposals 1000] [--seed 1]
 *
 * Compares proposals with org entries in three ways, in seconds of processor time: through the index, with all pairs of
 * parsed claims, and with all pairs of claims that are parsed for each pair. On the golden set, compares the results
 * with those of the word-set rule of the reference system. The last line is JSON.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ClaimIndex } from '../src/evolve/claims/claim-index.js';
import {
  type Claim,
  type ClaimComparison,
  compareClaims,
  compareParsedClaims,
  type ParsedClaim,
  parseClaim,
} from '../src/evolve/claims/supersession.js';
import { SeededRandom } from './seeded-random.js';

const HELP = `npm run bench:supersession -- [options]
  --entries N     org entries (10000)
  --proposals N   proposals compared with them (1000)
  --seed N        seed of the made-up claims (1)`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    entries: { type: 'string', default: '10000' },
    proposals: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const [entries, proposals, seed] = [Number(values.entries), Number(values.proposals), Number(values.seed)];
if (!(entries >= 1 && proposals >= 10 && seed >= 0)) throw new Error('--entries from 1, --proposals from 10 on');
/** Parsing both claims of every pair is slow: it is timed for this many proposals and scaled up. */
const NAIVE = 10;

const random = new SeededRandom(seed);
const pick = (from: readonly string[]): string => from[Math.floor(random.uniform() ** 2 * from.length)] ?? '';
const words = (stem: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${stem}${n}`);
const [TOOLS, ERRORS, PLACES, REMEDIES] = [
  words('tool', 400),
  words('fault', 120),
  words('host', 60),
  words('way', 300),
];

function claim(): Claim {
  const place = random.uniform() < 0.4 ? ` on ${pick(PLACES)}` : '';
  const other = random.uniform() < 0.2 ? ` or ${pick(ERRORS)}` : '';
  const tool = pick(TOOLS);
  const error = pick(ERRORS);
  // Drafts of the evolver have an applicability; entries that people wrote or changed may have none.
  const applicability = random.uniform() < 0.8 ? { applicability: `${tool} ${error}` } : {};
  const no = random.uniform() < 0.2 ? 'Never' : 'Always';
  const count = random.uniform() < 0.3 ? ` ${1 + Math.floor(random.uniform() * 5)} times` : '';
  return {
    condition: `When ${tool} ends in ${error}${other}${place}`,
    action: `${no} use ${pick(REMEDIES)} with ${pick(REMEDIES)}${count}`,
    confidence: 0.5 + random.uniform() / 2,
    ...applicability,
  };
}

const known = Array.from({ length: entries }, claim);
const candidates = Array.from({ length: proposals }, claim);
/** Processor time of this process, so that other load on the machine is not counted. */
const seconds = (work: () => void): number => {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000_000;
};

const ROUNDS = 10;
const perRound = (work: () => void): number => {
  const all = seconds(() => {
    for (let round = 0; round < ROUNDS; round += 1) work();
  });
  return all / ROUNDS;
};

const index = new ClaimIndex();
const building = seconds(() => {
  known.forEach((entry, at) => {
    index.add(String(at), entry);
  });
});
const read = known.map(parseClaim);
let readCandidates: ParsedClaim[] = [];
const reading = seconds(() => {
  readCandidates = candidates.map(parseClaim);
});

const byIndex: string[][] = [];
const byPairs: string[][] = [];
for (const candidate of readCandidates)
  byIndex.push(
    index
      .compareParsed(candidate)
      .map((f) => `${f.id} ${f.verdict}`)
      .sort(),
  );
// The code of both sides is compiled by now; short runs are repeated.
const indexed = perRound(() => {
  for (const candidate of readCandidates) index.compareParsed(candidate);
});
const indexedTen = perRound(() => {
  for (const candidate of readCandidates.slice(0, NAIVE)) index.compareParsed(candidate);
});
for (const one of readCandidates.slice(0, NAIVE)) for (const entry of read) compareParsedClaims(one, entry);
const pairs = seconds(() => {
  for (const one of readCandidates) {
    const found: string[] = [];
    read.forEach((entry, at) => {
      const verdict = compareParsedClaims(one, entry);
      if (verdict !== 'PARTIAL') found.push(`${at} ${verdict}`);
    });
    byPairs.push(found.sort());
  }
});
let pairsTen = 0;
const tenPairs = seconds(() => {
  for (const one of readCandidates.slice(0, NAIVE))
    for (const entry of read) if (compareParsedClaims(one, entry)) pairsTen += 1;
});
const naiveTen = seconds(() => {
  for (const candidate of candidates.slice(0, NAIVE)) for (const entry of known) compareClaims(candidate, entry);
});
const reparsedPairs = (naiveTen * proposals) / NAIVE;
// The naive comparison parses the candidates as well, so the index is charged for that, too.
const reparsed = reading + indexed;
const sameVerdicts = JSON.stringify(byIndex) === JSON.stringify(byPairs);

console.log(
  `${proposals} proposals × ${entries} entries; the index was built in ${building.toFixed(2)} s, the proposals were parsed in ${reading.toFixed(2)} s`,
);
console.log(
  `indexed                          ${indexed.toFixed(3)} s  (${NAIVE} proposals: ${indexedTen.toFixed(4)} s)`,
);
console.log(
  `all pairs, parsed once            ${pairs.toFixed(2)} s  = ${(pairs / indexed).toFixed(0)} ×  (${NAIVE} proposals, ${pairsTen} pairs: ${(tenPairs / indexedTen).toFixed(0)} ×)`,
);
console.log(
  `all pairs, parsed for each pair   ${reparsedPairs.toFixed(0)} s  = ${(reparsedPairs / reparsed).toFixed(0)} ×  (${NAIVE} proposals: ${naiveTen.toFixed(2)} s)`,
);
console.log(
  `the same results: ${sameVerdicts ? 'yes' : 'NO'}; other than PARTIAL: ${byPairs.reduce((n, found) => n + found.length, 0)}`,
);

type Score = { pairs: number; ours: number; wordSets: number };

/** Returns how many pairs of each class in a file get the labelled result. */
function scoresOf(file: string): Record<string, Score> {
  const scores: Record<string, Score> = {};
  for (const line of readFileSync(new URL(`../test/golden/${file}`, import.meta.url), 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [kind = '', expected = '', when = '', what = '', existingWhen = '', existingWhat = ''] = line.split('\t');
    const candidate = { condition: when, action: what, confidence: 0.9 };
    const existing = { condition: existingWhen, action: existingWhat, confidence: 0.8 };
    const score = scores[kind] ?? { pairs: 0, ours: 0, wordSets: 0 };
    scores[kind] = score;
    score.pairs += 1;
    score.ours += Number(compareClaims(candidate, existing) === expected);
    score.wordSets += Number(wordSetVerdict(candidate, existing) === expected);
  }
  console.log(`\n${file.padEnd(28)} pairs   right: ours   word sets`);
  for (const [kind, { pairs, ours, wordSets }] of Object.entries(scores))
    console.log(
      `${kind.padEnd(26)} ${String(pairs).padStart(6)} ${String(ours).padStart(13)} ${String(wordSets).padStart(11)}`,
    );
  return scores;
}

const golden = scoresOf('supersession.tsv');
const heldOut = scoresOf('supersession-held-out.tsv');
console.log(
  JSON.stringify({
    sameVerdicts,
    speedup: pairs / indexed,
    speedupNaive: reparsedPairs / reparsed,
    golden,
    heldOut,
  }),
);
if (!sameVerdicts) process.exitCode = 1;

/** The rule of the reference system: Jaccard and coverage over plain sets of words. */
function wordSetVerdict(candidate: Claim, existing: Claim): ClaimComparison {
  const set = (text: string) => new Set(text.toLowerCase().match(/\w+/g) ?? []);
  const [a, b] = [set(candidate.condition), set(existing.condition)];
  const [x, y] = [set(candidate.action), set(existing.action)];
  const shared = (one: Set<string>, other: Set<string>) => [...one].filter((word) => other.has(word)).length;
  const jaccard = (one: Set<string>, other: Set<string>) =>
    shared(one, other) / Math.max(1, one.size + other.size - shared(one, other));
  const compatible = jaccard(x, y) >= 0.5;
  if (jaccard(a, b) >= 0.5 && !compatible) return 'CONFLICT';
  const covers = shared(a, b) / Math.max(1, b.size) >= 0.8;
  return covers && compatible && candidate.confidence > existing.confidence ? 'FULL' : 'PARTIAL';
}
