import { parseArgs } from 'node:util';
import type { AttackedServer, Attempt, Section } from './attack.js';
import { PreparedServer } from './prepared-server.js';
import { type SectionResult, summaryOf, tableOf } from './results.js';
import { allSections } from './sections.js';

type DatabaseName = AttackedServer['database'];
interface Job {
  readonly section: Section;
  readonly database: DatabaseName;
}

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    database: { type: 'string', default: 'both' },
    section: { type: 'string', multiple: true, default: [] },
    verbose: { type: 'boolean', default: false },
  },
});
const isQuick = values.quick;
const databases: DatabaseName[] = (['embedded', 'postgresql'] as const).filter(
  (name) => values.database === 'both' || values.database === name,
);
const sections = await allSections();
const unknown = values.section.filter((name) => !sections.some((section) => section.name === name));
if (unknown.length > 0) {
  console.error(`No section ${unknown.join(', ')}. The sections are ${sections.map(({ name }) => name).join(', ')}.`);
  process.exit(1);
}
const chosen = sections.filter(({ name }) => values.section.length === 0 || values.section.includes(name));
const began = performance.now();

// In the quick run the databases take turns, so that each section runs once and both databases are attacked.
const jobs = chosen.flatMap((section, at): Job[] => {
  const possible = databases.filter((name) => section.databases?.includes(name) ?? true);
  const used = isQuick ? possible.slice(at % possible.length, (at % possible.length) + 1) : possible;
  return used.map((database) => ({ section, database }));
});

const prepared = new Map<DatabaseName, PreparedServer>();
for (const database of new Set(jobs.map((job) => job.database)))
  prepared.set(database, await PreparedServer.make(database));
const results: SectionResult[] = [];
try {
  // Two at a time: starting a server keeps one core busy.
  const queue = [...jobs];
  await Promise.all([runNext(queue), runNext(queue)]);
} finally {
  for (const server of prepared.values()) await server.remove();
}
const order = (result: SectionResult) =>
  jobs.findIndex(({ section, database }) => section.name === result.section && database === result.database);
results.sort((a, b) => order(a) - order(b));
console.log(`\n${tableOf(results)}\n\n${((performance.now() - began) / 1000).toFixed(0)} s`);
const summary = summaryOf(results);
console.log(JSON.stringify(summary));
process.exitCode = summary.through > 0 || summary.failed !== undefined || summary.attempts === 0 ? 1 : 0;

async function runNext(queue: Job[]): Promise<void> {
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) results.push(await run(job));
}

async function run({ section, database }: Job): Promise<SectionResult> {
  const since = performance.now();
  const attempts: Attempt[] = [];
  const result = () => ({ section: section.name, database, attempts, seconds: (performance.now() - since) / 1000 });
  let server: AttackedServer | undefined;
  try {
    await prepared.get(database)?.withCopy(section, async (copy) => {
      server = copy;
      for await (const done of section.attempts(copy, { isQuick })) {
        attempts.push(done);
        if (values.verbose || done.outcome === 'through')
          console.log(`${done.outcome.padEnd(8)} ${section.name}, ${database}: ${done.name} (${done.detail})`);
      }
    });
    const { seconds } = result();
    console.log(`ok  ${seconds.toFixed(1).padStart(6)} s  ${section.name}, ${database}: ${attempts.length} attempts`);
    // A section that tries nothing would look as if all had held.
    return attempts.length > 0 ? result() : { ...result(), failure: 'no attempt was made' };
  } catch (error) {
    console.error(`${section.name}, ${database}: ${error instanceof Error ? error.stack : error}`);
    console.error(`the server said:\n${server?.log.slice(-4_000) ?? ''}`);
    return { ...result(), failure: error instanceof Error ? error.message : String(error) };
  }
}
