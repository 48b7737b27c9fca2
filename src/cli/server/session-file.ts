import { readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sessionMetaIn } from '../../capture/importers/codex-session.js';
import { compareText } from '../../platform/base/compare-text.js';
import { FileLines } from '../sources/file-lines.js';
import { openFile } from '../sources/open-file.js';
import { readFailure } from '../sources/source.js';
import { MAX_LINE } from '../sources/source-text.js';
import { CliError, EXIT, invalidArgument } from '../terminal/cli-error.js';
import { givenPath } from '../terminal/command-process.js';
import { type DerivedFile, TranscriptReader } from './transcripts.js';

/** Programs write the last lines of a session while their hooks for its end run. */
const SETTLED_AFTER_MS = 250;
const SETTLE_TRIES = 12;

/** Codex keeps the sessions of a day in one folder. */
const ROLLOUT = /^rollout-.{1,200}\.jsonl(?:\.zst)?$/;
const SUB_AGENT = /(?:^|[\\/])agent-[^\\/]{1,200}\.jsonl$/;
/** The newest ones that are looked at. */
const MAX_ROLLOUTS = 500;

/** The session in a file, and the sessions of its sub-agents in other files. */
interface SessionFile {
  readonly main: DerivedFile;
  readSubAgents(): Promise<DerivedFile[]>;
}

/**
 * Reads one session once its file has stopped growing, for three seconds at most. Throws a `CliError` for a file that is
 * missing, unreadable or of an unknown format.
 */
export async function readSession(path: string, format: string | undefined): Promise<SessionFile> {
  const file = await realpath(givenPath(path)).catch(() => undefined);
  if (file === undefined) throw invalidArgument(`No such file: ${path}`);
  await settle(file);
  const reader = new TranscriptReader({ agentPer: 'project', format });
  const main = await reader.read(file);
  if (main.unreadReason !== undefined)
    throw new CliError(EXIT.usage, 'import.unread', `${path}: ${main.unreadReason}.`);
  return {
    main,
    readSubAgents: async () => {
      const found: DerivedFile[] = [];
      for (const one of await subAgentFiles(file, main)) found.push(await reader.read(one));
      return found;
    },
  };
}

async function settle(file: string): Promise<void> {
  let size = -1;
  for (let n = 0; n < SETTLE_TRIES; n += 1) {
    const now = (await stat(file)).size;
    if (now === size) return;
    size = now;
    await new Promise((done) => setTimeout(done, SETTLED_AFTER_MS));
  }
}

/**
 * `agent-….jsonl` at any depth of `<session>/subagents` beside the file of Claude Code, `<session>/*.jsonl` beside that
 * of Gemini CLI; in the folder of a rollout of Codex, those that name it or each other as their parent.
 */
async function subAgentFiles(file: string, { format, reports }: DerivedFile): Promise<string[]> {
  const session = reports[0]?.report.sessionId;
  if (session === undefined || !/^[\w-]{1,100}$/.test(session)) return [];
  if (format === 'codex') return rolloutsBelow(session, dirname(file));
  const folders = [join(dirname(file), session, 'subagents'), join(dirname(file), session)];
  const [below = [], beside = []] = await Promise.all([namesBelow(folders[0] ?? ''), namesIn(folders[1] ?? '')]);
  return [
    ...below.filter((name) => SUB_AGENT.test(name)).map((name) => join(folders[0] ?? '', name)),
    ...beside.filter((name) => name.endsWith('.jsonl')).map((name) => join(folders[1] ?? '', name)),
  ];
}

/** The rollouts of a session's sub-agents, each after that of its parent. */
async function rolloutsBelow(session: string, folder: string): Promise<string[]> {
  const names = (await namesIn(folder)).filter((name) => ROLLOUT.test(name)).sort(compareText);
  const rollouts = names.slice(-MAX_ROLLOUTS).flatMap((name) => rolloutIn(join(folder, name)) ?? []);
  const found: string[] = [];
  const parents = [session];
  for (let parent = parents.pop(); parent !== undefined; parent = parents.pop())
    for (const one of rollouts)
      if (one.parent === parent && !found.includes(one.path)) {
        found.push(one.path);
        parents.push(one.id);
      }
  return found;
}

/** The session in a rollout, and the one that started it; undefined if the file says neither. */
function rolloutIn(path: string): { path: string; id: string; parent: string } | undefined {
  try {
    const file = openFile(path);
    try {
      const [first = ''] = new FileLines(file.bytes, MAX_LINE);
      const meta = sessionMetaIn(first);
      return meta?.parent === undefined ? undefined : { path, id: meta.id, parent: meta.parent };
    } finally {
      file.close();
    }
  } catch (error) {
    if (readFailure(error) === undefined) throw error;
    return undefined;
  }
}

/** Names in the folder and in those below it: a workflow has a folder for its sub-agents. */
const namesBelow = (folder: string): Promise<string[]> =>
  readdir(folder, { recursive: true }).catch((): string[] => []);
const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch((): string[] => []);
