import type { Command } from 'commander';
import type { TuningPlan } from '../../tuning/checkpoints/tuning.schema.js';
import { tuningRunId } from '../server/names.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { formatCount, oneLine, print, printJson, table } from '../terminal/terminal.js';
import { followRun, printRun } from './embedder-run.js';
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
    (options: PlanOptions) => preflight(connection(), options),
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
    .action((given?: string) => status(connection(), given));
  embedder
    .command('runs')
    .description('list the runs, newest first')
    .option('--limit <n>', 'maximum number of runs', '20')
    .option('--offset <n>', 'number of runs to leave out', '0')
    .action((options: { limit: string; offset: string }) => runs(connection(), options));
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
  ...(source === undefined ? {} : { sourceDir: source }),
  ...(output === undefined ? {} : { outputDir: output }),
  overrides: {
    ...(coreShare === undefined ? {} : { coreShare: Number(coreShare) }),
    ...(maxDocuments === undefined ? {} : { maxDocuments: Number(maxDocuments) }),
  },
});

async function preflight(connection: ConnectionOptions, options: PlanOptions): Promise<void> {
  const found = await (await connect(connection)).tuning.preflight(planOf(options));
  if (connection.json) return printJson(found);
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

async function status(connection: ConnectionOptions, given?: string): Promise<void> {
  const client = await connect(connection);
  const found = await client.tuning.status(given === undefined ? undefined : await tuningRunId(client, given));
  if (connection.json) return printJson(found);
  if (found.run === null) return print('No runs yet. Preview one with: guildbook embedder preflight');
  printRun(found.run);
}

async function runs(connection: ConnectionOptions, query: { limit: string; offset: string }): Promise<void> {
  const page = await (await connect(connection)).tuning.runs(query);
  if (connection.json) return printJson(page);
  if (page.items.length === 0) return print('No runs here. Preview one with: guildbook embedder preflight');
  print(
    table(
      ['run', 'kind', 'created', 'state', 'outcome', 'why'],
      page.items.map(({ id, kind, createdAt, state, outcome, verdict, failure }) =>
        [id, kind, createdAt, state, outcome ?? '', failure ?? verdict?.reasons[0]?.text ?? ''].map(oneLine),
      ),
    ),
  );
  print(`${page.items.length} of ${formatCount(page.total, 'run')}`);
}
