import { availableParallelism } from 'node:os';

/** @type {import('jest').Config} */
export default {
  // Specs run in the process itself, through Node's own module loader; see scripts/test/jest.
  testEnvironment: '<rootDir>/scripts/test/jest/environment.mjs',
  runtime: '<rootDir>/scripts/test/jest/runtime.cjs',
  testSequencer: '<rootDir>/scripts/test/jest/order.mjs',
  injectGlobals: false,
  transform: {},
  roots: ['<rootDir>/src', '<rootDir>/test', '<rootDir>/bench'],
  testRegex: '\\.spec\\.ts$',
  modulePathIgnorePatterns: ['<rootDir>/dist/'],
  // For `--findRelatedTests`, which reads the imports.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // Ends a test that hangs. Far above the slowest one, because a machine under load may be ten times slower.
  testTimeout: 240_000,
  // Specs wait for processes and databases much of their time: two workers are worth it on two cores as well.
  maxWorkers: Math.min(4, Math.max(2, availableParallelism())),
  workerIdleMemoryLimit: '1GB',
};
