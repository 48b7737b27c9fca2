import { type Command, InvalidArgumentError, Option } from 'commander';
import { DEFAULT_PROFILE } from '../../recall/ranking/ranking-profile.schema.js';
import { RetrievalMode, StrategyName } from '../../recall/ranking/recall.schema.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { formatCount, oneLine, print, printJson } from '../terminal/terminal.js';

interface RecallOptions {
  readonly agent?: string;
  readonly budget?: number;
  readonly limit?: number;
  readonly steps?: true;
  readonly weak?: true;
  readonly strategy?: StrategyName;
  readonly retrieval?: RetrievalMode;
}

export function recallCommand(program: Command): void {
  program
    .command('recall <task...>')
    .description('show the memories that an agent receives for a task, with their scores')
    .option('--agent <agent>', 'agent name (not needed with the token of an agent)')
    .option('--budget <tokens>', 'maximum number of tokens of the result', parseWholeNumber)
    .option('--limit <n>', 'maximum number of memories', parseWholeNumber)
    .option('--steps', 'with the steps of the memories, as far as they fit')
    .option('--weak', 'as a search: also the best matches that are likely about something else')
    .addOption(new Option('--strategy <name>', 'how memories reach the agent').choices(StrategyName.options))
    .addOption(new Option('--retrieval <name>', 'how memories are found').choices(RetrievalMode.options))
    .action((task: string[], options: RecallOptions) =>
      recall(program.opts<ConnectionOptions>(), task.join(' '), options),
    );
}

function parseWholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('must be a whole number');
  return Number(text);
}

async function recall(connection: ConnectionOptions, query: string, options: RecallOptions): Promise<void> {
  const { agent, budget, limit, steps = false, weak, strategy, retrieval } = options;
  const answer = await (await connect(connection)).recall({
    query,
    steps,
    ...(agent === undefined ? {} : { agent }),
    ...(budget === undefined ? {} : { tokenBudget: budget }),
    ...(limit === undefined ? {} : { limit }),
    ...(weak === undefined ? {} : { weak }),
    ...(strategy === undefined ? {} : { strategy }),
    ...(retrieval === undefined ? {} : { retrieval }),
  });
  if (connection.json) return printJson(answer);
  for (const warning of answer.warnings) print(`Warning: ${oneLine(warning)}`);
  for (const { content } of answer.messages) print(`${content}\n`);
  if (answer.memories.length === 0) print(`No memory visible to ${oneLine(answer.agent)} matches this task.`);
  else
    print(
      `${formatCount(answer.memories.length, 'memory', 'memories')} delivered, about ${formatCount(answer.tokens, 'token')}:`,
    );
  const { relevanceWeight, recencyWeight } = answer.profile ?? DEFAULT_PROFILE;
  for (const memory of answer.memories) {
    const [relevance, recency, combined] = [memory.relevance, memory.recency, memory.combined].map((n) => n.toFixed(2));
    print(`- ${oneLine(memory.discovery)}`);
    print(
      `    ${memory.provenance}, ${memory.id}: ${combined} = ${relevanceWeight} × relevance ${relevance} + ${recencyWeight} × recency ${recency}`,
    );
  }
  for (const { discovery, because, id } of answer.leftOut)
    print(`- omitted (${because.replaceAll('_', ' ')}): ${oneLine(discovery)} (${id})`);
}

interface RememberOptions {
  readonly task?: string;
  readonly why?: string;
  readonly step?: string[];
  readonly tag?: string[];
  readonly source?: string[];
  readonly session?: string;
}

export function rememberCommand(program: Command): void {
  program
    .command('remember <note...>')
    .description('store a note of an agent, with its token: whole, or not at all')
    .option('--task <text>', 'when it applies')
    .option('--why <text>', 'the reason')
    .option('--step <text...>', 'the steps, in order')
    .option('--tag <tag...>', 'non-inferable states that no model knows it by itself')
    .option('--source <lesson...>', 'ids of the memories that it was concluded from')
    .option('--session <id>', 'session of the agent')
    .action((note: string[], options: RememberOptions) =>
      remember(program.opts<ConnectionOptions>(), note.join(' '), options),
    );
}

async function remember(connection: ConnectionOptions, lesson: string, options: RememberOptions): Promise<void> {
  const { task, why, step, tag, source, session } = options;
  const stored = await (await connect(connection)).remember({
    lesson,
    ...(task === undefined ? {} : { task }),
    ...(why === undefined ? {} : { why }),
    ...(step === undefined ? {} : { steps: step }),
    ...(tag === undefined ? {} : { tags: tag }),
    ...(source === undefined ? {} : { sources: source }),
    ...(session === undefined ? {} : { sessionId: session }),
  });
  if (connection.json) return printJson(stored);
  for (const warning of stored.warnings) print(`Warning: ${oneLine(warning)}`);
  print(
    `${stored.duplicate ? 'Already stored' : 'Stored'} as ${stored.id}, ${stored.provenance.replaceAll('_', ' ')}.`,
  );
}
