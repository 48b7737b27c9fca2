import { isMainThread } from 'node:worker_threads';
import { register } from 'tsx/esm/api';

// Threads inherit this import, but not the loader of tsx, with which harnesses and benchmarks run the sources.
if (!isMainThread) register();
