import { readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { reportToSend } from '../../capture/report/sent-report.js';
import { CliError, invalidArgument } from '../terminal/cli-error.js';
import { EXIT } from '../terminal/exit-codes.js';
import { projectRepository } from './project-repository.js';
import { type DerivedFile, TranscriptReader } from './transcripts.js';

/** Programs write the last lines of a session while their hooks for its end run. */
const SETTLED_AFTER_MS = 250;
const SETTLE_TRIES = 12;

/** The session in a file, and the sessions of its sub-agents in other files. */
export interface SessionFile {
  readonly main: DerivedFile;
  readSubAgents(): Promise<DerivedFile[]>;
}

/**
 * Reads one session once its file has stopped growing, for three seconds at most. Throws a `CliError` for a file that is
 * missing, unreadable or of an unknown format.
 */
export async function readSession(path: string, format: string | undefined): Promise<SessionFile> {
  const file = await realpath(resolve(path)).catch(() => undefined);
  if (file === undefined) throw invalidArgument(`No such file: ${path}`);
  await settle(file);
  const reader = new TranscriptReader({ agentPer: 'project', format });
  const main = await reader.read(file);
  if (main.unreadReason !== undefined)
    throw new CliError(EXIT.usage, 'import.unread', `${path}: ${main.unreadReason}.`);
  const repository = await projectRepository(main.cwd);
  return {
    main: withRepository(main, repository),
    readSubAgents: async () => {
      const found: DerivedFile[] = [];
      for (const one of await subAgentFiles(file, main.reports[0]?.report.sessionId))
        found.push(withRepository({ ...(await reader.read(one)) }, repository));
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

/** `<session>/subagents/*.jsonl` beside the file of Claude Code, `<session>/*.jsonl` beside that of Gemini CLI. */
async function subAgentFiles(file: string, session: string | undefined): Promise<string[]> {
  if (session === undefined || !/^[\w-]{1,100}$/.test(session)) return [];
  const folders = [join(dirname(file), session, 'subagents'), join(dirname(file), session)];
  const lists = await Promise.all(folders.map((folder) => readdir(folder).catch((): string[] => [])));
  return lists.flatMap((names, n) =>
    names.filter((name) => name.endsWith('.jsonl')).map((name) => join(folders[n] ?? '', name)),
  );
}

/** Names the repository in reports that do not name one. */
function withRepository(derived: DerivedFile, repository: string | undefined): DerivedFile {
  if (repository === undefined) return derived;
  const reports = derived.reports.map(({ agent, report }) => {
    const environment = { repository, ...report.environment };
    const sanitised = reportToSend({ ...report, environment });
    return { agent, report: sanitised.usable ? sanitised.report : report };
  });
  return { ...derived, reports };
}
