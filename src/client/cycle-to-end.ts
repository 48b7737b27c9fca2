import type { Cycle } from '../evolve/cycle/cycles.schema.js';
import type { Guildbook } from './guildbook.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

/** Starts a cycle and asks for its report until it has ended, however long that takes. Calls `onWait` before each pause. */
export async function cycleToEnd(
  client: Pick<Guildbook, 'evolver'>,
  dryRun: boolean,
  onWait: () => void = () => undefined,
): Promise<Cycle> {
  let cycle = await client.evolver.start(dryRun);
  for (let pauseMs = FIRST_PAUSE_MS; cycle.state === 'running'; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.5)) {
    onWait();
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    cycle = await client.evolver.report(cycle.id);
  }
  return cycle;
}
