import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Guildbook } from '../../client/guildbook.js';
import { present } from '../../platform/base/optional.js';
import type { TuningPlan, TuningPreflight, TuningRun, TuningRunPage } from '../../tuning/checkpoints/tuning.schema.js';
import { tuningRunId } from '../server/names.js';
import { answer, type ConnectionOptions, connect } from '../server/session.js';
import { formatCount, oneLine, print, printError, printJson, table } from '../terminal/terminal.js';
import { embedderServiceCommands } from './embedder-service.js';

interface PlanOptions {
  readonly seed: string;
  readonly source?: string;
  readonly output?: string;
  readonly coreShare?: string;
  readonly maxDocuments?: string;
}

export function embedderCommand(program: Command): void {
  const connection = () => program.opts<ConnectionOptions>();
  const embedder = program.command('embedder').description('tune the embedder behind memory, and put it in service');
  withPlan(embedder.command('preflight').description('show what a run would read, and whether it could pass')).action(
    (options: PlanOptions) =>
      answer(connection(), (client) => client.tuning.preflight(planOf(options)), printPreflight),
  );
  withPlan(embedder.command('train').description('start a run, and show its progress until it ends'))
    .option('--background', 'do not wait for its end', false)
    .action((options: PlanOptions & { background: boolean }) => train(connection(), options));
  embedder
    .command('resume <tuning>')
    .description('go on with a run that failed or was cancelled')
    .option('--background', 'do not wait for its end', false)
    .action((given: string, options: { background: boolean }) => resume(connection(), given, options));
  embedder
    .command('status [tuning]')
    .description('show a run: the one that is active, or else the newest')
    .action((given?: string) =>
      answer(
        connection(),
        async (client) => client.tuning.status(given === undefined ? undefined : await tuningRunId(client, given)),
        ({ run }) =>
          run === null ? print('No runs yet. Preview one with: guildbook embedder preflight') : printRun(run),
      ),
    );
  embedder
    .command('runs')
    .description('list the runs, newest first')
    .option('--limit <n>', 'maximum number of runs', '20')
    .option('--offset <n>', 'number of runs to leave out', '0')
    .action((query: { limit: string; offset: string }) =>
      answer(connection(), (client) => client.tuning.runs(query), printRuns),
    );
  embedderServiceCommands(embedder, connection);
}

function withPlan(command: Command): Command {
  return command
    .option('--seed <n>', 'the same seed and memory make the same checkpoint', '1')
    .option('--source <folder>', 'folder with docs.jsonl and queries.jsonl, below the tuning folder of the server')
    .option('--output <folder>', 'folder for the checkpoint as a file, below the tuning folder of the server')
    .option('--core-share <share>', 'share of one core that it may use')
    .option('--max-documents <n>', 'newest memories that it reads');
}

const planOf = ({ seed, source, output, coreShare, maxDocuments }: PlanOptions): TuningPlan => ({
  kind: 'base',
  seed: Number(seed),
  ...present({ sourceDir: source, outputDir: output }),
  overrides: present({ coreShare: numberIn(coreShare), maxDocuments: numberIn(maxDocuments) }),
});

const numberIn = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

function printPreflight(found: TuningPreflight): void {
  print(
    `${formatCount(found.documents, 'memory', 'memories')}, ${formatCount(found.pairs, 'labelled query', 'labelled queries')}`,
  );
  for (const { text } of found.reasons) print(oneLine(text));
  print(found.ready ? 'Ready. To start: guildbook embedder train' : 'Not ready.');
}

async function train(
  connection: ConnectionOptions,
  { background, ...options }: PlanOptions & { background: boolean },
): Promise<void> {
  const client = await connect(connection);
  const started = await client.tuning.start(planOf(options));
  return followRun(client, connection, started, background);
}

async function resume(
  connection: ConnectionOptions,
  given: string,
  { background }: { background: boolean },
): Promise<void> {
  const client = await connect(connection);
  const resumed = await client.tuning.resume(await tuningRunId(client, given));
  return followRun(client, connection, resumed, background);
}

function printRuns({ items, total }: TuningRunPage): void {
  if (items.length === 0) {
    print('No runs here. Preview one with: guildbook embedder preflight');
    return;
  }
  print(
    table(
      ['run', 'kind', 'created', 'state', 'outcome', 'why'],
      items.map(({ id, kind, createdAt, state, outcome, verdict, failure }) => [
        id,
        kind,
        createdAt,
        state,
        outcome ?? '',
        failure ?? verdict?.reasons[0]?.text ?? '',
      ]),
    ),
  );
  print(`${items.length} of ${formatCount(total, 'run')}`);
}

const LOOK_MS = 500;

const isActive = ({ state }: TuningRun): boolean => state === 'queued' || state === 'running';

/** Shows the stages of a run until it ends. With `background`, only that it began. */
async function followRun(
  client: Guildbook,
  { json, quiet }: ConnectionOptions,
  begun: TuningRun,
  background: boolean,
): Promise<void> {
  let run = begun;
  let shown = '';
  while (!background && isActive(run)) {
    await sleep(LOOK_MS);
    run = (await client.tuning.status(begun.id)).run ?? run;
    const line = progressOf(run);
    if (line !== shown && !json && !quiet) printError(line);
    shown = line;
  }
  if (json) return printJson(run);
  if (!background) return printRun(run);
  print(`The run ${run.id} is ${run.state}. To see it: guildbook embedder status ${run.id.slice(0, 8)}`);
}

const progressOf = ({ stage, progress: { done, total } }: TuningRun): string =>
  total > 0 ? `${stage}: ${done} of ${total}` : stage;

function printRun(run: TuningRun): void {
  const { id, kind, state, outcome, documents, pairs, verdict, measuredAgain, failure, notes } = run;
  print(
    oneLine(`${kind} ${id}: ${state}${outcome === null ? `, ${progressOf(run)}` : `, ${outcome.replace('_', ' ')}`}`),
  );
  if (documents !== null) print(`read ${documents} documents and ${pairs ?? 0} labelled queries`);
  for (const { text } of verdict?.reasons ?? []) print(oneLine(text));
  if (measuredAgain)
    print(
      `measured again: ${measuredAgain.gateGain.toFixed(4)} on the gate, ${measuredAgain.probeGain.toFixed(4)} on the probe`,
    );
  for (const note of notes) print(oneLine(note));
  if (failure !== null) print(oneLine(failure));
}
