import type { RecordedCall } from './recorded-execution.js';

/**
 * The shape of a failure: the tool, the goal, the class and the template of its error. The same failure has the same
 * shape in another session. Undefined for a call that did not fail by its own fault.
 */
export const failureShape = ({ tool, goal, failure }: RecordedCall): string | undefined =>
  failure && JSON.stringify([tool, goal, failure.errorClass, failure.template]);
