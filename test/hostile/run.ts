import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readFrontmatter } from '../../src/skills/document/validate.js';
import { type RecallFault, recallFaultsOf } from './recall-faults.js';
import { canonical, type Fault, faultsOf, queuedFile, referenceFrontmatter, renderedFile } from './skill-faults.js';
import { hostileStrings } from './strings.js';

const HELP = `npm run test:hostile -- [--data <folder>] [--strings N] [--seed N] [--python]

Puts hostile strings into every text of a skill (title, description, condition, action, rationale, steps, gotchas,
tags), through the renderer alone and through the queue. Three YAML parsers read each file, cut at whole lines and as
the reference parser cuts it, and each file is searched for executable forms. The same strings are put into every text
of a recalled memory: none may leave its fence, and each record must state its provenance.
  --data     folder with prompts.jsonl or injection/prompts.jsonl; its texts come first
  --strings  number of strings; the generator adds the rest (5000)
  --python   also read the files with PyYAML
Exits with 1 at any fault. The last line is one JSON object.`;

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    strings: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '1' },
    python: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const wanted = Number(values.strings);
const prompts = values.data === undefined ? [] : promptsIn(values.data);
if (values.help || !(wanted > 0) || prompts === undefined) {
  console.error(HELP);
  process.exit(values.help ? 0 : 1);
}
const fromCorpus = [...new Set(prompts)].slice(0, wanted);
const texts = [...fromCorpus, ...hostileStrings(wanted - fromCorpus.length, Number(values.seed))];

const pipelines = Object.entries({ renderer: renderedFile, queue: queuedFile }).map(([pipeline, fileOf]) => {
  // A text without a letter or a digit is refused as empty, so it is tried again with a letter.
  const files = texts.map((text) => ({ text, file: fileOf(text) ?? fileOf(`${text.slice(0, 40)} x`) }));
  const made = files.flatMap(({ text, file }) => (file === undefined ? [] : [{ text, file }]));
  const count: Record<Fault | 'python', number> = {
    'extra-key': 0,
    executable: 0,
    structure: 0,
    reading: 0,
    rules: 0,
    python: 0,
  };
  for (const { text, file } of made)
    for (const fault of faultsOf(file)) {
      count[fault] += 1;
      if (count[fault] <= 5) console.log(`${pipeline}: ${fault} with ${JSON.stringify(text)}`);
    }
  if (values.python) count.python = differentInPython(made.map(({ file }) => file));
  console.log(
    `${pipeline}: ${made.length} files, ${texts.length - made.length} refused, faults ${JSON.stringify(count)}`,
  );
  return [pipeline, { files: made.length, refused: texts.length - made.length, ...count }] as const;
});
const recalled: Record<RecallFault, number> = { fence: 0, provenance: 0, cap: 0 };
for (const text of texts)
  for (const fault of recallFaultsOf(text)) {
    recalled[fault] += 1;
    if (recalled[fault] <= 5) console.log(`recall: ${fault} with ${JSON.stringify(text)}`);
  }
console.log(`recall: ${texts.length} memories, faults ${JSON.stringify(recalled)}`);
console.log(
  JSON.stringify({
    recalled,
    strings: texts.length,
    fromCorpus: fromCorpus.length,
    seed: values.seed,
    ...Object.fromEntries(pipelines),
  }),
);
const wrong = pipelines.some(
  ([, { files, refused: _refused, ...count }]) => files === 0 || Object.values(count).some((n) => n > 0),
);
process.exitCode = wrong || Object.values(recalled).some((n) => n > 0) ? 1 : 0;

function promptsIn(folder: string): string[] | undefined {
  const file = [join(folder, 'prompts.jsonl'), join(folder, 'injection', 'prompts.jsonl')].find(existsSync);
  if (file === undefined) return undefined;
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => String(JSON.parse(line).text));
}

/** Number of files that PyYAML reads differently. */
function differentInPython(files: readonly string[]): number {
  const program = 'import json, sys, yaml\nprint(json.dumps([yaml.safe_load(t) for t in json.load(sys.stdin)]))';
  const input = JSON.stringify(files.map(referenceFrontmatter));
  const { status, stdout, stderr } = spawnSync('python3', ['-c', program], {
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(`python3 with PyYAML: ${stderr}`);
  const readings: unknown[] = JSON.parse(stdout);
  return files.filter((file, index) => canonical(readings[index]) !== canonical(own(file))).length;
}

function own(file: string): unknown {
  const { entries } = readFrontmatter(file);
  const of = (group: string) =>
    Object.fromEntries(
      entries.filter((it) => it.group === group && it.key !== 'metadata').map(({ key, value }) => [key, value]),
    );
  return { ...of('top'), metadata: of('metadata') };
}
