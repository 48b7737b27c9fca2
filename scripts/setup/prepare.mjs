import { build } from './build.mjs';
import { generateClient } from './client.mjs';
import { installDependencies } from './dependencies.mjs';
import { StepFailed } from './progress.mjs';

/** In order of dependence. */
const STEPS = { deps: installDependencies, client: generateClient, build };

/** Runs the named steps (all by default) and ends the process when one fails. Silent when nothing has to be done. */
export async function prepare(names) {
  const unknown = names.filter((name) => !(name in STEPS));
  if (unknown.length > 0) {
    console.error(`setup: unknown step ${unknown.join(', ')}; the steps are ${Object.keys(STEPS).join(', ')}.`);
    process.exit(1);
  }
  try {
    for (const [name, step] of Object.entries(STEPS)) if (names.length === 0 || names.includes(name)) await step();
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
