import { type Command, Option } from 'commander';
import { callText } from '../../evidence/calls/shown-call.schema.js';
import { factsBeside, isBound, placeOf } from '../../evidence/predicate/binding.js';
import { Provenance, Scope } from '../../memory/store/lesson.schema.js';
import { LESSON_STATES, type LessonList, type MemoryEntry } from '../../memory/store/memory.schema.js';
import { present } from '../../platform/base/optional.js';
import { agentId, lessonId } from '../server/names.js';
import { answer, type ConnectionOptions } from '../server/session.js';
import { formatCount, oneLine, print } from '../terminal/terminal.js';

interface ListOptions {
  readonly limit: string;
  readonly after?: string;
  readonly agent?: string;
  readonly tag?: string;
  readonly provenance?: string;
  readonly scope?: string;
  readonly state?: string;
}

interface Correction {
  readonly discovery?: string;
  readonly condition?: string;
  readonly action?: string;
  readonly rationale?: string;
  readonly step?: string[];
  readonly cause?: string | false;
  readonly reason: string;
}

export function lessonsCommand(program: Command): void {
  const connection = () => program.opts<ConnectionOptions>();
  const lessons = program
    .command('lessons')
    .description('list the private lessons of all agents, newest first')
    .option('--agent <agent>', 'only lessons of this agent')
    .option('--tag <tag>', 'only lessons with this tag')
    .addOption(new Option('--provenance <provenance>', 'only lessons of this provenance').choices(Provenance.options))
    .addOption(new Option('--scope <scope>', 'whose lessons').choices(Scope.options))
    .addOption(new Option('--state <state>', 'only live lessons, only ended ones, or all').choices(LESSON_STATES))
    .option('--limit <n>', 'maximum number of lessons', '20')
    .option('--after <lesson>', 'continue after this lesson (whole id)')
    .action((query: ListOptions) =>
      answer(
        connection(),
        async (client) => {
          const agent = query.agent === undefined ? {} : { agent: await agentId(client, query.agent) };
          const { items, total, next } = await client.lessons({ ...query, ...agent });
          return { items, total, next };
        },
        printLessons,
      ),
    );
  lessons
    .command('show <lesson>')
    .description('show a lesson whole, live or ended')
    .action((lesson: string) =>
      answer(connection(), async (client) => client.lesson.show(await lessonId(client, lesson)), printLesson),
    );
  lessons
    .command('correct <lesson>')
    .description("correct the texts of a lesson, as its agent's owner or an administrator")
    .option('--discovery <text>', 'what it is about')
    .option('--condition <text>', 'when it applies')
    .option('--action <text>', 'what to do')
    .option('--rationale <text>', 'why')
    .option('--step <text...>', 'all steps, in order')
    .option('--cause <text>', 'why it failed')
    .option('--no-cause', 'remove the cause')
    .requiredOption('--reason <text>', 'reason, for the journal')
    .action((lesson: string, { step, cause, ...texts }: Correction) =>
      answer(
        connection(),
        async (client) =>
          client.lesson.correct(await lessonId(client, lesson), {
            ...texts,
            ...present({ steps: step, cause: cause === false ? null : cause }),
          }),
        printLesson,
      ),
    );
  sharingCommands(lessons, connection);
}

function sharingCommands(lessons: Command, connection: () => ConnectionOptions): void {
  lessons
    .command('share <lesson>')
    .description("share a lesson with its agent's role or department, as a reviewer")
    .addOption(
      new Option('--with <group>', 'who reads it from now on').choices(['role', 'department']).makeOptionMandatory(),
    )
    .requiredOption('--reason <text>', 'reason, for the journal')
    .action((lesson: string, { with: scope, reason }: { with: 'role' | 'department'; reason: string }) =>
      answer(
        connection(),
        async (client) => client.lesson.share(await lessonId(client, lesson), { scope, reason }),
        (shared) =>
          print(oneLine(`Shared with the ${shared.scope} ${shared.role ?? shared.department ?? ''} as ${shared.id}.`)),
      ),
    );
  lessons
    .command('unshare <lesson>')
    .description('end a shared lesson, by its whole id; its source stays')
    .requiredOption('--reason <text>', 'reason, for the journal')
    .action((lesson: string, { reason }: { reason: string }) =>
      answer(
        connection(),
        (client) => client.lesson.unshare(lesson, reason),
        (ended) => print(oneLine(`No longer shared: ${ended.lesson.discovery}`)),
      ),
    );
  lessons
    .command('delete <lesson>')
    .description("delete a lesson and its texts, as its agent's owner or an administrator")
    .requiredOption('--reason <text>', 'reason, for the journal')
    .action((lesson: string, { reason }: { reason: string }) =>
      answer(
        connection(),
        async (client) => client.lesson.delete(await lessonId(client, lesson), reason),
        ({ id }) => print(`Deleted: ${oneLine(id)}`),
      ),
    );
}

function printLessons({ items, total, next }: LessonList): void {
  if (items.length === 0) {
    print('No lessons yet. Lessons come from reported executions that failed or recovered.');
    return;
  }
  for (const entry of items) {
    const { id, agentId, lesson, provenance, proposer, witnessCount, createdAt } = entry;
    const details = [
      ...(agentId === null ? [] : [`agent ${agentId}`]),
      provenance,
      `written by ${proposer}`,
      formatCount(witnessCount, 'execution'),
      createdAt,
    ];
    print(`- ${oneLine(id)}  ${oneLine(lesson.discovery)}\n    ${oneLine(details.join(', '))}`);
  }
  print(`\n${items.length} of ${formatCount(total, 'lesson')}`);
  if (next !== null) print(`More: --after ${next}`);
}

function printLesson(entry: MemoryEntry): void {
  const { lesson } = entry;
  const { example, environment = [], cause, binding } = lesson;
  const lines: (readonly [name: string, text: string])[] = [
    ['lesson', entry.id],
    ['agent', entry.agentId ?? '-'],
    ['provenance', `${entry.provenance}, written by ${entry.proposer}`],
    ['seen in', formatCount(entry.witnessCount, 'execution')],
    ...(entry.supersededAt
      ? [['ended', `${entry.supersededAt} ${entry.endReason ?? entry.supersededById ?? ''}`] as const]
      : []),
    ['about', lesson.discovery],
    ['when', lesson.activation.condition],
    ...(cause ? [['cause', cause] as const] : []),
    ['what to do', lesson.activation.action],
    ['why', lesson.activation.rationale],
    ...lesson.steps.map((step, n) => [`step ${n + 1}`, step] as const),
    ...(isBound(binding) ? [['seen only', placeOf(binding)] as const] : []),
    ...factsBeside(environment, binding).map(({ name, value }) => [name, value] as const),
    ...(example
      ? [
          ['failed', callText(example.failed)] as const,
          ['error', example.error] as const,
          ...example.between.map((call) => ['then', callText(call)] as const),
          ['worked', example.worked ? callText(example.worked) : 'nothing that was tried'] as const,
        ]
      : []),
    ['tags', lesson.tags.join(', ') || '-'],
  ];
  for (const [name, text] of lines) print(`${oneLine(name)}: ${oneLine(text)}`);
}
