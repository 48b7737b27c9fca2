// Loaded into the server that bench/ingest.ts starts: what the heap holds after a collection, whenever it is asked.
// Of the signals that Nest does not take for the end.
process.on('SIGWINCH', () => {
  globalThis.gc();
  globalThis.gc();
  console.log(`heap after collection: ${process.memoryUsage().heapUsed}`);
});
