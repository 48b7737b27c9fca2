import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { projectNameOf } from '../../src/capture/observations/observation.js';
import type { ExecutionReport } from '../../src/capture/report/execution-report.schema.js';
import { Guildbook } from '../../src/client/guildbook.js';
import { BuiltProgram } from '../support/cli.js';
import type { ExpectedRun } from './expectation.js';
import type { Outcome } from './outcome.js';

const Imported = z.object({ unreadFiles: z.array(z.object({ file: z.string(), reason: z.string() })) });

/** An import that ended without a summary. */
export class FailedImport extends Error {}

/** Imports the folders of a run into a new server, runs one cycle and reads what it holds. Throws a `FailedImport`. */
export async function outcomeOf(folder: string, { import: paths }: ExpectedRun): Promise<Outcome> {
  const program = await BuiltProgram.prepare();
  try {
    const server = await program.serve();
    const { token } = await new Guildbook({ server: server.url }).signIn(server.oneTimeToken ?? '');
    const unread: Outcome['unread'][number][] = [];
    for (const path of paths) {
      const environment = { GUILDBOOK_SERVER: server.url, GUILDBOOK_TOKEN: token };
      const { stdout, stderr } = await program.run(['import', '--json', join(folder, path)], environment);
      const summary = Imported.safeParse(parsedJson(stdout));
      if (!summary.success) throw new FailedImport(`import ${path}: ${(stderr || stdout).trim().slice(0, 500)}`);
      unread.push(...summary.data.unreadFiles);
    }
    return await read(new Guildbook({ server: server.url, token }), unread);
  } finally {
    await program.remove();
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function read(client: Guildbook, unread: Outcome['unread']): Promise<Outcome> {
  for (;;) {
    const { awaitingCapture, awaitingProposal } = await client.executions.status();
    if (awaitingCapture + awaitingProposal === 0) break;
    await sleep(50);
  }
  const { report } = await client.evolver.run(false);
  const agents = new Set<string>();
  const reports: ExecutionReport[] = [];
  // Of a session that repeats another, only the calls that count as evidence.
  const counted = { calls: 0, failedCalls: 0 };
  for (let after: string | null | undefined; after !== null; ) {
    const page = await client.executions.list({ limit: 200, ...(after ? { after } : {}) });
    for (const { id, agent, toolCalls, failedCalls } of page.items) {
      agents.add(agent);
      counted.calls += toolCalls;
      counted.failedCalls += failedCalls;
      reports.push((await client.executions.show(id)).report);
    }
    after = page.next;
  }
  const calls = reports.flatMap(({ toolCalls }) => toolCalls);
  const listed = await client.proposals.list({ limit: 100 });
  const proposals = await Promise.all(listed.items.map(({ id }) => client.proposals.show(id)));
  const lessons = (await client.lessons({ limit: 200 })).items;
  const notProposed = (report?.notProposed ?? []).filter(({ because }) => because === 'unsolved');
  return {
    executions: reports.length,
    agents: agents.size,
    projects: new Set(reports.flatMap((one) => projectNameOf(one).projectName?.toLowerCase() ?? [])).size,
    ...counted,
    actions: calls.map(({ action }) => action),
    unread,
    proposals: proposals.map(({ proposedSkill: { action, steps } }) => [action, ...steps].join('\n')),
    lessons: lessons.map(({ lesson: { activation, steps } }) => [activation.action, ...steps].join('\n')),
    unsolved: [...(report?.unsolved ?? []).map(({ action }) => action), ...notProposed.map(({ title }) => title)],
  };
}
