import { Agent, request } from 'node:http';

/** Asks by a bare connection that is kept open: what is left is the server's time, without that of `fetch`. */
export class PlainClient {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(
    private readonly server: string,
    private readonly token: string,
  ) {}

  /** The answer to a POST, parsed. Throws for what is no success. */
  post(path: string, body: object): Promise<unknown> {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const asked = request(new URL(path, this.server), { method: 'POST', agent: this.agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => {
          if (response.statusCode === 200) resolve(JSON.parse(text));
          else reject(new Error(`${response.statusCode}: ${text}`));
        });
      });
      asked.on('error', reject).end(JSON.stringify(body));
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
