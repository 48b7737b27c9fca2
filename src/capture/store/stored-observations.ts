import { redactDeep, type Sanitized } from '../../untrusted/redaction/redact-deep.js';
import { type ExecutionObservations, observe, type StoredExecution } from '../observations/observation.js';
import type { Obstacle } from '../observations/obstacle.schema.js';
import { obstaclesOf } from '../observations/obstacles.js';

/** The stored part of an execution's observations; the rest is in the execution's row. */
export type StoredObservations = Omit<ExecutionObservations, 'executionId' | 'agentName' | 'support'>;

export interface ObservedForStorage {
  /** Redacted. */
  readonly body: Sanitized<StoredObservations>;
  /** For the analysis payload, which is redacted as a whole. */
  readonly obstacles: readonly Obstacle[];
}

/** Observes an execution and redacts the part that is stored. */
export function observeForStorage(execution: StoredExecution): ObservedForStorage {
  const { executionId: _id, agentName: _name, support: _support, ...body } = observe(execution);
  return { body: redactDeep<StoredObservations>(body).value, obstacles: obstaclesOf(execution.report.toolCalls) };
}

/**
 * Reads a stored body. Throws SyntaxError if it is not one. A cycle reads thousands of them, so that only what the miner
 * walks through is checked.
 */
export function readObservations(text: string): StoredObservations {
  const body: unknown = JSON.parse(text);
  if (!isObservations(body)) throw new SyntaxError('these are no observations');
  return body;
}

function isObservations(body: unknown): body is StoredObservations {
  return (
    isObject(body) &&
    ['checks', 'episodes', 'excludedFailures', 'used'].every((name) => Array.isArray(body[name])) &&
    Array.isArray(body['episodes']) &&
    body['episodes'].every(isEpisode)
  );
}

const isEpisode = (episode: unknown): boolean =>
  isObject(episode) &&
  EPISODE_TEXTS.every((name) => typeof episode[name] === 'string') &&
  typeof episode['failures'] === 'number' &&
  Array.isArray(episode['trials']) &&
  episode['trials'].every(isObject);

const EPISODE_TEXTS = ['tool', 'coarse', 'errorClass', 'template'];

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
