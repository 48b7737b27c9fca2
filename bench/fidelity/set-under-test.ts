import type { ReadSet, SetExecution } from '../sets/set-reader.js';
import type { SetUnderTest } from './judge.js';
import { ObservedCalls } from './observed-calls.js';
import { namesIn } from './private-values.js';
import { observeStored, privateLessonsOf, proposalsOf } from './product-lessons.js';

/** Lets the product write its proposals and lessons about a set, for the judge. */
export function underTest({ name, executions }: ReadSet): SetUnderTest {
  const observed = executions.map((execution: SetExecution) => observeStored(execution));
  return {
    name,
    worked: ObservedCalls.of(executions, true),
    failed: ObservedCalls.of(executions, false),
    cut: [ObservedCalls.of(executions, true, true), ObservedCalls.of(executions, false, true)],
    names: namesIn(executions),
    lessons: [...proposalsOf(observed), ...privateLessonsOf(observed)],
  };
}
