import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A line with a long round trip to a server on loopback: all bytes take half of it, in both directions, and the first
 * ones wait for a whole one more, as for the handshake of TCP. What was sent arrives even if the client has gone.
 */
export class SlowLine {
  private readonly server = createServer({ allowHalfOpen: true }, (client) => this.join(client));
  private readonly sockets = new Set<Socket>();

  constructor(
    private readonly target: number,
    private readonly roundTripMs: number,
  ) {}

  async start(): Promise<number> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    // A server on TCP has an address of this form.
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(client: Socket): void {
    const server = connect({ port: this.target, host: '127.0.0.1', allowHalfOpen: true });
    this.forward(client, server, performance.now() + this.roundTripMs);
    this.forward(server, client, 0);
  }

  private forward(from: Socket, to: Socket, opensAt: number): void {
    this.sockets.add(from);
    // One after the other, also where two are due in the same millisecond.
    let before = Promise.resolve();
    const after = (act: () => void) => {
      const due = sleep(Math.max(opensAt - performance.now(), 0) + this.roundTripMs / 2);
      before = before.then(() => due).then(() => (to.destroyed ? undefined : act()));
    };
    from.on('data', (chunk) => after(() => void to.write(chunk)));
    from.on('end', () => after(() => void to.end()));
    from.on('error', () => undefined);
    from.on('close', () => this.sockets.delete(from));
  }
}
