import type pg from 'pg';
import { SECOND_MS } from '../base/durations.js';
import { areMetricsOn, measure, type Sample, sample } from './metrics.js';

type Query = (...parameters: unknown[]) => unknown;
type Callback = (error: unknown, result: unknown) => void;

/** Measures each statement of the pool's connections while metrics are on. */
export function timeQueries(pool: pg.Pool): void {
  pool.on('connect', (client) => {
    // One implementation behind the overloads of the driver, which differ in where the callback stands.
    const query = client.query.bind(client) as Query;
    client.query = timed(query) as pg.PoolClient['query'];
  });
}

const timed =
  (query: Query): Query =>
  (...parameters) => {
    if (!areMetricsOn()) return query(...parameters);
    const started = performance.now();
    const end = (result: 'done' | 'failed') =>
      measure('guildbook_database_query_duration_seconds', (performance.now() - started) / SECOND_MS, { result });
    const last = parameters.at(-1);
    if (typeof last === 'function') {
      // The driver calls the last parameter with the error or the result.
      const callback = last as Callback;
      const measured: Callback = (error, result) => {
        end(error ? 'failed' : 'done');
        callback(error, result);
      };
      return query(...parameters.slice(0, -1), measured);
    }
    const answer = query(...parameters);
    if (answer instanceof Promise)
      answer.then(
        () => end('done'),
        () => end('failed'),
      );
    return answer;
  };

export function poolSamples(role: 'main' | 'worker', pool: pg.Pool): Sample[] {
  const { totalCount, idleCount, waitingCount } = pool;
  return [
    sample('guildbook_database_connections', totalCount - idleCount, { role, state: 'busy' }),
    sample('guildbook_database_connections', idleCount, { role, state: 'idle' }),
    sample('guildbook_database_waiting', waitingCount, { role }),
  ];
}
