import { setTimeout as sleep } from 'node:timers/promises';
import type { Guildbook } from '../../client/guildbook.js';
import type { TuningRun } from '../../tuning/checkpoints/tuning.schema.js';
import type { ConnectionOptions } from '../server/session.js';
import { oneLine, print, printError, printJson } from '../terminal/terminal.js';

const LOOK_MS = 500;

const isActive = ({ state }: TuningRun): boolean => state === 'queued' || state === 'running';

/** Shows the stages of a run until it ends. With `background`, only that it began. */
export async function followRun(
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

export function printRun(run: TuningRun): void {
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
