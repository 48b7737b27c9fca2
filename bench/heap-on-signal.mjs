// Loaded into the server that bench/ingest.ts starts. Prints the heap size after a collection on SIGWINCH, a signal that
// does not make Nest shut down.
process.on('SIGWINCH', () => {
  globalThis.gc();
  globalThis.gc();
  console.log(`heap after collection: ${process.memoryUsage().heapUsed}`);
});
