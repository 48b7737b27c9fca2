import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import { importFiles } from '../../src/cli/commands/import.js';
import type { ImportSummary } from '../../src/cli/commands/import-summary.js';
import type { AgentPer } from '../../src/cli/server/transcripts.js';
import { type FoundFiles, transcriptFiles } from '../../src/cli/sources/transcript-files.js';
import type { Guildbook } from '../../src/client/guildbook.js';
import type { CycleReport } from '../../src/evolve/cycle/cycles.schema.js';
import { BuiltProgram, type ServerProcess } from '../support/cli.js';
import { type Leaks, leaksIn, usersIn } from './leaks.js';

export interface ImportMeasurement {
  readonly summary: ImportSummary;
  /** Executions that a second import of the same files added; must be 0. */
  readonly addedAgain: number;
  readonly lessons: number;
  readonly skipped: Readonly<Record<string, number>>;
  readonly cycle: CycleReport | null;
  readonly proposals: readonly ProposalDetails[];
  readonly leaks: { readonly proposals: Leaks; readonly executions: Leaks };
  readonly seconds: Readonly<Record<'start' | 'import' | 'lessons' | 'cycle', number>>;
  /** Resident memory of the server's process in MB; undefined without /proc. */
  readonly megabytes: Readonly<Record<'idle' | 'afterImport' | 'afterCycle' | 'peak', number | undefined>>;
}

/** Starts a server, imports transcripts through the API and runs one cycle. */
export async function measure(
  paths: readonly string[],
  agentPer: AgentPer,
  anyFormat = false,
): Promise<ImportMeasurement> {
  const program = await BuiltProgram.prepare();
  try {
    const [server, start] = await timed(() => program.serve());
    return await onServer(server, await transcriptFiles(paths, anyFormat), agentPer, start);
  } finally {
    await program.remove();
  }
}

async function onServer(
  server: ServerProcess,
  files: FoundFiles,
  agentPer: AgentPer,
  start: number,
): Promise<ImportMeasurement> {
  const client = await server.administrator();
  const idle = megabytes(server.pid, 'VmRSS');
  const [summary, importing] = await timed(() => importFiles(client, files, { agentPer }));
  const afterImport = megabytes(server.pid, 'VmRSS');
  const [, learning] = await timed(() => waitUntilProcessed(client));
  const [cycle, cycling] = await timed(() => client.evolver.run(false));
  const proposals = await Promise.all(
    (await client.proposals.list({ limit: 100 })).items.map(({ id }) => client.proposals.show(id)),
  );
  const texts = files.sources.flatMap((source) => source.files.map((file) => readFileSync(file, 'utf8')));
  const users = usersIn(texts.join('\n'));
  const { skipped } = await client.executions.status();
  return {
    summary,
    addedAgain: (await importFiles(client, files, { agentPer })).new,
    lessons: (await client.lessons({ limit: 1 })).total,
    skipped: Object.fromEntries(skipped.map(({ reason, count }) => [reason, count])),
    cycle: cycle.report,
    proposals,
    leaks: {
      proposals: leaksIn(proposals.flatMap(shownTexts), users),
      executions: leaksIn(await storedTexts(client), users),
    },
    seconds: { start, import: importing, lessons: learning, cycle: cycling },
    megabytes: {
      idle,
      afterImport,
      afterCycle: megabytes(server.pid, 'VmRSS'),
      peak: megabytes(server.pid, 'VmHWM'),
    },
  };
}

/** Waits until capture and proposer have processed everything. */
async function waitUntilProcessed(client: Guildbook): Promise<void> {
  for (;;) {
    const { awaitingCapture, awaitingProposal } = await client.executions.status();
    if (awaitingCapture + awaitingProposal === 0) return;
    await sleep(50);
  }
}

/** The texts of a proposal without hashes and ids, which a rule for secrets may match. */
function shownTexts({ proposedSkill: proposal, evidence, artifact, title, skillName }: ProposalDetails): string[] {
  const withoutIds = artifact.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '');
  return [title, skillName, JSON.stringify(proposal), JSON.stringify(evidence), withoutIds];
}

/** The texts of all stored executions: titles, actions and error messages. */
async function storedTexts(client: Guildbook): Promise<string[]> {
  const texts: string[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page = await client.executions.list({ limit: 200, ...(after ? { after } : {}) });
    for (const { id } of page.items) {
      const { report } = await client.executions.show(id);
      texts.push(report.taskTitle, report.errorMessage ?? '');
      texts.push(...report.toolCalls.flatMap(({ action, errorMessage }) => [action, errorMessage ?? '']));
    }
    after = page.next;
  }
  return texts;
}

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const began = performance.now();
  const result = await work();
  return [result, Math.round((performance.now() - began) / 10) / 100];
}

function megabytes(pid: number, field: 'VmRSS' | 'VmHWM'): number | undefined {
  try {
    const kilobytes = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024);
  } catch {
    return undefined;
  }
}
