import { setTimeout as sleep } from 'node:timers/promises';
import { Guildbook, GuildbookError, NoResponseError } from '../../../src/client/guildbook.js';

const TIMEOUT_MS = 30_000;
const GIVE_UP_MS = 180_000;
const PAUSE_MS = 50;

/** The API with the hooks of an agent. */
export class FleetConnection extends Guildbook {
  readonly hook = (event: string, body: object) => this.call<object>('POST', `/v1/hooks/claude-code/${event}`, body);
}

/**
 * Sends a request to one process after the other until one answers: what a load balancer and a client that retries do. A
 * request without an answer may have been processed.
 */
export class FleetClient {
  requests = 0;
  retries = 0;
  /** Requests that no process answered in time, or that one refused with a status from 500. */
  readonly failed: string[] = [];
  private turn = 0;

  /** `addresses`: those of the processes that listen now. */
  constructor(private readonly addresses: () => readonly string[]) {}

  /** The answer, and whether an earlier attempt had none. Throws the refusal of a process (a status below 500). */
  async send<T>(
    token: string | undefined,
    what: string,
    request: (client: FleetConnection) => Promise<T>,
  ): Promise<{ readonly answer: T; readonly isRepeated: boolean }> {
    this.requests += 1;
    let isRepeated = false;
    for (const until = performance.now() + GIVE_UP_MS; ; await sleep(PAUSE_MS)) {
      const addresses = this.addresses();
      const server = addresses[this.turn++ % Math.max(1, addresses.length)];
      try {
        if (server === undefined) throw undefined;
        const answer = await request(new FleetConnection({ server, token, timeoutMs: TIMEOUT_MS }));
        return { answer, isRepeated };
      } catch (error) {
        const status = error instanceof GuildbookError ? error.problem.status : undefined;
        if (status !== undefined && status < 500) throw error;
        if (status !== undefined && status !== 503) this.failed.push(`${what}: ${status} ${String(error)}`);
        if (status === undefined && error !== undefined && !(error instanceof NoResponseError)) throw error;
        if (performance.now() > until) {
          this.failed.push(`${what}: no answer`);
          throw error ?? new Error(`${what}: no process listens`);
        }
        if (error !== undefined) {
          isRepeated = true;
          this.retries += 1;
        }
      }
    }
  }
}
