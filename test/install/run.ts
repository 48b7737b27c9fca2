import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import { Checks, type SectionFigures, secondsSince } from './checks.js';

const FOLDER = join(PROJECT_ROOT, 'test', 'install', 'sections');

interface Section {
  /** False if the section has nothing that takes only seconds. */
  readonly isQuick: boolean;
  run(checks: Checks): Promise<void>;
}

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const known = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -'.ts'.length))
  .sort();
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`No section ${unknown.join(', ')}; there are: ${known.join(', ')}.`);
  process.exit(2);
}

const sections: Record<string, SectionFigures> = {};
const notTried: string[] = [];
for (const name of positionals.length > 0 ? positionals : known) {
  const section = (await import(pathToFileURL(join(FOLDER, `${name}.ts`)).href)) as Section;
  if (values.quick && !section.isQuick) continue;
  const checks = new Checks(name, values.quick);
  const began = performance.now();
  await checks.check('the section runs to its end', () => section.run(checks));
  checks.figures.seconds = secondsSince(began);
  sections[name] = checks.figures;
  notTried.push(...checks.notTried);
}
const sum = (figure: 'checks' | 'failed') => Object.values(sections).reduce((total, found) => total + found[figure], 0);
const failed = sum('failed');
console.log(JSON.stringify({ checks: sum('checks'), failed, sections, notTried }));
process.exit(failed === 0 ? 0 : 1);
