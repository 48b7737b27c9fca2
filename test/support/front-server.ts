import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';

/** Stands before a server and passes everything on, except for paths with an answer of the test. */
export class FrontServer {
  /** By path: the body of the answer, or its status. */
  readonly answers = new Map<string, string | Buffer | number>();
  /** The path and the credential of each request. */
  readonly requests: { readonly path: string; readonly authorization: string | undefined }[] = [];
  private readonly server = createServer((request, response) => this.handle(request, response));

  constructor(private readonly target: string) {}

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    const address = this.server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private handle(request: IncomingMessage, response: ServerResponse): void {
    const { method, url: path = '/' } = request;
    const { host: _host, ...headers } = request.headers;
    this.requests.push({ path, authorization: headers.authorization });
    const own = this.answers.get(path);
    if (typeof own === 'number') response.writeHead(own, { location: '/' }).end();
    else if (own !== undefined) response.end(own);
    else
      request.pipe(
        httpRequest(new URL(path, this.target), { method, headers }, (got) => {
          response.writeHead(got.statusCode ?? 502, got.headers);
          got.pipe(response);
        }).on('error', () => response.destroy()),
      );
  }
}
