import { type Command, InvalidArgumentError, Option } from 'commander';
import { RetrievalMode, StrategyName } from '../../recall/ranking/recall.schema.js';
import { type ConnectionOptions, connect } from '../server/session.js';
import { formatCount, oneLine, print, printJson } from '../terminal/terminal.js';

interface RecallOptions {
  readonly agent?: string;
  readonly budget?: number;
  readonly limit?: number;
  readonly strategy?: StrategyName;
  readonly retrieval?: RetrievalMode;
}

export function recallCommand(program: Command): void {
  program
    .command('recall <task...>')
    .description('show the memories that an agent receives for a task, with their scores')
    .option('--agent <name>', 'agent name (not needed with the token of an agent)')
    .option('--budget <tokens>', 'maximum number of tokens of the result', parseWholeNumber)
    .option('--limit <n>', 'maximum number of memories', parseWholeNumber)
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
  const { agent, budget, limit, strategy, retrieval } = options;
  const answer = await (await connect(connection)).recall({
    query,
    ...(agent === undefined ? {} : { agent }),
    ...(budget === undefined ? {} : { tokenBudget: budget }),
    ...(limit === undefined ? {} : { limit }),
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
  for (const memory of answer.memories) {
    const [relevance, recency, combined] = [memory.relevance, memory.recency, memory.combined].map((n) => n.toFixed(2));
    print(`- ${oneLine(memory.discovery)}`);
    print(
      `    ${memory.provenance}, ${memory.id}: ${combined} = 0.7 × relevance ${relevance} + 0.3 × recency ${recency}`,
    );
  }
  for (const { discovery, because, id } of answer.leftOut)
    print(`- omitted (${because.replaceAll('_', ' ')}): ${oneLine(discovery)} (${id})`);
}
