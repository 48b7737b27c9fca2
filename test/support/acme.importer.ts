import { z } from 'zod';
import { type RawCall, retriesOf, toolCallsOf } from '../../src/capture/importers/foreign-call.js';
import { clipId, foreignReport } from '../../src/capture/importers/foreign-report.js';
import { ImportTally, readLine } from '../../src/capture/importers/import-tally.js';
import type { TranscriptImporter } from '../../src/capture/importers/importer.js';
import { sourcesOfCall, taskHash } from '../../src/capture/importers/task-sources.js';

const at = z.iso.datetime({ offset: true });
const AcmeLine = z.discriminatedUnion('acme', [
  z.object({ acme: z.literal('run'), run: z.string(), task: z.string(), at }),
  z.object({ acme: z.literal('call'), call: z.string(), tool: z.string(), input: z.unknown(), at }),
  z.object({ acme: z.literal('result'), call: z.string(), ok: z.boolean(), text: z.string(), at }),
]);

/** Imports the runs of Acme's agent: one file is one run, and its first line names it. */
export const acmeImporter: TranscriptImporter = {
  format: 'acme',
  byLine: true,
  recognises: (record) => 'acme' in record,
  derive(lines, context = {}) {
    const tally = new ImportTally();
    const calls = new Map<string, RawCall>();
    let [run, task, startedAt, finishedAt]: (string | undefined)[] = [];
    for (const line of lines) {
      const value = readLine(line, tally);
      if (value === undefined) continue;
      const { data } = AcmeLine.safeParse(value);
      if (data === undefined) tally.badLines += 1;
      else if (data.acme === 'run') ({ run, task } = data);
      else if (data.acme === 'call') calls.set(data.call, { name: data.tool, input: data.input, at: data.at });
      else {
        const call = calls.get(data.call);
        // The output of a successful call is never kept.
        if (call !== undefined) call.result = { failed: !data.ok, text: data.ok ? '' : data.text, at: data.at };
      }
      startedAt ??= data?.at;
      finishedAt = data?.at ?? finishedAt;
    }
    const all = [...calls.values()];
    const id = clipId(run ?? context.sessionHint ?? 'unnamed');
    const report = foreignReport(
      {
        executionId: `acme:${id}:${clipId(finishedAt ?? '')}`,
        sessionId: id,
        taskTitle: 'Acme run',
        task: taskHash(task ?? id),
        sources: all.flatMap(({ name, input }) => sourcesOfCall(name, input)),
        startedAt,
        finishedAt,
        end: { kind: 'ended' },
        calls: toolCallsOf(all),
        retryCount: retriesOf(all),
        tags: ['acme'],
      },
      tally,
    );
    const reports = report === undefined ? [] : [report];
    return { reports, skillUses: [], counts: tally.counts(), omitted: tally.omitted() };
  },
};
