/**
 * What `@jest/globals` is in a spec. The functions belong to the file that runs; these bindings follow it, so that a
 * module that several specs share uses those of the current one.
 */
export let afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test;

export function follow(globals) {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globals);
}
