import { type Command, InvalidArgumentError, Option } from 'commander';
import type { RememberResult } from '../../memory/lessons/remember.schema.js';
import { present } from '../../platform/base/optional.js';
import { DEFAULT_PROFILE } from '../../recall/ranking/ranking-profile.schema.js';
import { type Recall, RetrievalMode, StrategyName } from '../../recall/ranking/recall.schema.js';
import { answer, type ConnectionOptions } from '../server/session.js';
import { formatCount, oneLine, print } from '../terminal/terminal.js';

interface RecallOptions {
  readonly agent?: string;
  readonly budget?: number;
  readonly limit?: number;
  readonly steps?: boolean;
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
    .action((task: string[], { budget: tokenBudget, steps = false, ...options }: RecallOptions) =>
      answer(
        program.opts<ConnectionOptions>(),
        (client) => client.recall({ query: task.join(' '), steps, ...present({ tokenBudget, ...options }) }),
        printRecall,
      ),
    );
}

function parseWholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('must be a whole number');
  return Number(text);
}

function printRecall(found: Recall): void {
  for (const warning of found.warnings) print(`Warning: ${oneLine(warning)}`);
  for (const { content } of found.messages) print(`${content}\n`);
  if (found.memories.length === 0) print(`No memory visible to ${oneLine(found.agent)} matches this task.`);
  else
    print(
      `${formatCount(found.memories.length, 'memory', 'memories')} delivered, about ${formatCount(found.tokens, 'token')}:`,
    );
  const { relevanceWeight, recencyWeight } = found.profile ?? DEFAULT_PROFILE;
  for (const memory of found.memories) {
    const [relevance, recency, combined] = [memory.relevance, memory.recency, memory.combined].map((n) => n.toFixed(2));
    print(`- ${oneLine(memory.discovery)}`);
    print(
      `    ${memory.provenance}, ${memory.id}: ${combined} = ${relevanceWeight} × relevance ${relevance} + ${recencyWeight} × recency ${recency}`,
    );
  }
  for (const { discovery, because, id } of found.leftOut)
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
    .action((note: string[], { task, why, step, tag, source, session }: RememberOptions) =>
      answer(
        program.opts<ConnectionOptions>(),
        (client) =>
          client.remember({
            lesson: note.join(' '),
            ...present({ task, why, steps: step, tags: tag, sources: source, sessionId: session }),
          }),
        printRemembered,
      ),
    );
}

function printRemembered(stored: RememberResult): void {
  for (const warning of stored.warnings) print(`Warning: ${oneLine(warning)}`);
  print(
    `${stored.duplicate ? 'Already stored' : 'Stored'} as ${stored.id}, ${stored.provenance.replaceAll('_', ' ')}.`,
  );
}
