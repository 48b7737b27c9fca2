import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Guildbook } from '../../client/guildbook.js';
import { present } from '../../platform/base/optional.js';
import type {
  ActiveEmbedder,
  GuardedOperation,
  TuningPlan,
  TuningPreflight,
  TuningRun,
  TuningRunPage,
} from '../../tuning/checkpoints/tuning.schema.js';
import { checkpointId, tuningRunId } from '../server/names.js';
import { answer, type ConnectionOptions, connect, printList } from '../server/session.js';
import { CliError, EXIT } from '../terminal/cli-error.js';
import { formatCount, oneLine, print, printError, printJson, table } from '../terminal/terminal.js';

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

interface GuardOptions {
  readonly confirm?: boolean;
  readonly reason: string;
}

/** What is in service, and the operations that end or replace something. */
function embedderServiceCommands(embedder: Command, connection: () => ConnectionOptions): void {
  embedder
    .command('active')
    .description('show the embedder in service')
    .action(() => answer(connection(), (client) => client.tuning.active(), printActive));
  embedder
    .command('checkpoints')
    .description('list what the runs made')
    .action(() =>
      printList(
        connection(),
        (client) => client.tuning.checkpoints(),
        ['checkpoint', 'name', 'kind', 'created', 'gain', 'state'],
        ({ id, name, kind, createdAt, measures, active, deletedAt }) => [
          ...[id, name, kind, createdAt, measures['gateGain']?.toFixed(4) ?? ''],
          active ? 'in service' : deletedAt === null ? '' : 'deleted',
        ],
        'No checkpoints yet. Make one with: guildbook embedder train',
      ),
    );
  guarded(embedder.command('cancel').description('cancel the active run')).action((options: GuardOptions) =>
    cancel(connection(), options),
  );
  guarded(
    embedder
      .command('rollback <checkpoint>')
      .description('put a checkpoint in service; "configured" for the embedder of the settings'),
  ).action((given: string, options: GuardOptions) => rollback(connection(), given, options));
  guarded(
    embedder.command('delete <checkpoint>').description('delete the model of a checkpoint that is not in service'),
  ).action((given: string, options: GuardOptions) => remove(connection(), given, options));
}

const guarded = (command: Command): Command =>
  command.option('--confirm', 'do it').requiredOption('--reason <reason>', 'why, for the journal');

/** Nothing is done without the word: what it ends or replaces is used by every agent. */
function guardOf({ confirm, reason }: GuardOptions): GuardedOperation {
  if (confirm !== true) throw new CliError(EXIT.usage, 'usage.confirm', 'Add --confirm to do this.');
  return { confirm, reason };
}

function printActive(found: ActiveEmbedder): void {
  print(oneLine(`${found.name}${found.checkpointId === null ? '' : ` (checkpoint ${found.checkpointId})`}`));
  print(`weight ${found.weight}, minimum similarity ${found.minSimilarity}`);
  if (found.name !== found.configured) print(oneLine(`configured: ${found.configured}`));
  if (found.next !== null) print(oneLine(nextText(found.next)));
  if (found.problem !== null) print(oneLine(found.problem));
}

const nextText = (name: string): string => `next: ${name}, once every memory has its vector`;

async function cancel(connection: ConnectionOptions, options: GuardOptions): Promise<void> {
  const operation = guardOf(options);
  return answer(
    connection,
    (client) => client.tuning.cancel(operation),
    ({ cancelled }) => print(cancelled === null ? 'No run was active.' : `Cancelled: ${cancelled}`),
  );
}

async function rollback(connection: ConnectionOptions, given: string, options: GuardOptions): Promise<void> {
  const operation = guardOf(options);
  return answer(
    connection,
    async (client) =>
      client.tuning.rollback(given === 'configured' ? given : await checkpointId(client, given), operation),
    ({ name, next }) => {
      print(oneLine(`In service: ${name}`));
      if (next !== null) print(oneLine(nextText(next)));
    },
  );
}

async function remove(connection: ConnectionOptions, given: string, options: GuardOptions): Promise<void> {
  const operation = guardOf(options);
  return answer(
    connection,
    async (client) => client.tuning.delete(await checkpointId(client, given), operation),
    ({ name }) => print(oneLine(`Deleted: ${name}`)),
  );
}
