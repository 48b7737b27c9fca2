import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A function that can run in a thread. Input and output are copied there, so they are plain data. */
export interface ThreadTask<In, Out> {
  readonly work: (input: In) => Out;
  /** Exports the function as its default. */
  readonly file: string;
}

/**
 * The task of a `.thread.ts` file: its default export, and its path without an extension, relative to the caller
 * (`import.meta.url`).
 */
export function threadTask<In, Out>(work: (input: In) => Out, path: string, caller: string): ThreadTask<In, Out> {
  const url = new URL(caller);
  // Compiled files end in .js; specs and benchmarks run the sources.
  return { work, file: fileURLToPath(new URL(`${path}${extname(url.pathname)}`, url)) };
}
