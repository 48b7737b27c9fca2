// Loaded into the server that bench/ingest.ts starts: what the heap holds after a collection, whenever it is asked.
process.on('SIGUSR2', () => {
  globalThis.gc();
  globalThis.gc();
  console.log(`heap after collection: ${process.memoryUsage().heapUsed}`);
});
