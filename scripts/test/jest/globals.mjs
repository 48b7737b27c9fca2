import fc from 'fast-check';

/**
 * Takes the place of `@jest/globals` in a spec. The functions belong to the running file. These bindings are updated for
 * each file, so that a module that several specs share uses the functions of the current spec.
 */
export let afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test;

/** Properties of each file draw from the seed of the run, whatever ran before it. */
export function follow(globals) {
  fc.configureGlobal({ seed: globals.jest.getSeed() });
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globals);
}
