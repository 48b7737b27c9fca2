import { fail } from '../terminal/failure.js';
import { endQuietlyWithReader } from '../terminal/terminal.js';
import { createProgram } from './program.js';

/** Runs the command that the arguments of this process name. */
export async function runProgram(): Promise<void> {
  endQuietlyWithReader();
  await createProgram().parseAsync().catch(fail);
}
