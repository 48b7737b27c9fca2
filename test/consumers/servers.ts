import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { ARCHIVE_FILE, archiveOf, publishedSkill, wellKnownIndex } from '../../src/skills/catalogue/well-known.js';
import { filesOf } from '../../src/skills/document/bundle.js';
import type { ExpectedSkill } from './published.js';

export interface RunningServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the index and the files of a skills repository in the discovery format. */
export function serveWellKnown(folder: string, skills: readonly ExpectedSkill[]): Promise<RunningServer> {
  const index = JSON.stringify(wellKnownIndex(skills.map(({ name, artifact }) => publishedSkill(name, artifact))));
  return listen((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const [, name = '', file = ''] = /^\/\.well-known\/agent-skills\/([a-z0-9-]+)\/(.+)$/.exec(path) ?? [];
    const files = filesOf(skills.find((skill) => skill.name === name)?.artifact ?? '');
    if (path === '/.well-known/agent-skills/index.json') send(response, 'application/json', index);
    else if (file === ARCHIVE_FILE && files.size > 1) send(response, 'application/gzip', archiveOf(files));
    else if (name !== '' && files.has(file)) send(response, 'text/markdown', readFileSync(join(folder, name, file)));
    else response.writeHead(404).end();
  });
}

/** Serves the repository at `<url>/skills.git` for clones: git's own upload-pack behind two routes, read-only. */
export function serveGit(folder: string): Promise<RunningServer> {
  return listen((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname === '/skills.git/info/refs' && searchParams.get('service') === 'git-upload-pack') {
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
      response.write('001e# service=git-upload-pack\n0000');
      uploadPack(folder, request, response, ['--advertise-refs']);
    } else if (pathname === '/skills.git/git-upload-pack' && request.method === 'POST') {
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
      uploadPack(folder, request, response, []);
    } else response.writeHead(404).end();
  });
}

function uploadPack(folder: string, request: IncomingMessage, response: ServerResponse, options: string[]): void {
  const version = request.headers['git-protocol'];
  const env = { ...process.env, ...(typeof version === 'string' ? { GIT_PROTOCOL: version } : {}) };
  const git = spawn('git', ['upload-pack', '--stateless-rpc', ...options, folder], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const body = request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request;
  git.stdin.on('error', () => undefined);
  body.pipe(git.stdin);
  git.stdout.pipe(response);
}

/** A tool call of the scripted model. */
export interface ScriptedTurn {
  readonly name: string;
  readonly input: unknown;
}

/**
 * A Messages API that records its requests. It answers with the tool call that `turn` returns for a request, or with
 * "ok".
 */
export async function serveModel(
  turn: (body: string) => ScriptedTurn | undefined = () => undefined,
): Promise<RunningServer & { readonly requests: string[] }> {
  const requests: string[] = [];
  const server = await listen(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const body = Buffer.concat(chunks).toString('utf8');
    requests.push(body);
    if (!(request.url ?? '').startsWith('/v1/messages?') && request.url !== '/v1/messages') {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of answerOf(turn(body), requests.length))
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  return { ...server, requests };
}

function answerOf(turn: ScriptedTurn | undefined, at: number) {
  const block = turn ? { type: 'tool_use', id: `toolu_${at}`, name: turn.name, input: {} } : { type: 'text', text: '' };
  const delta = turn
    ? { type: 'input_json_delta', partial_json: JSON.stringify(turn.input) }
    : { type: 'text_delta', text: 'ok' };
  return [
    { type: 'message_start', message: { ...MESSAGE, id: `msg_${at}` } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: turn ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: { output_tokens: 1 },
    },
    { type: 'message_stop' },
  ];
}

const MESSAGE = {
  type: 'message',
  role: 'assistant',
  model: 'none',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
};

function send(response: ServerResponse, type: string, body: string | Buffer): void {
  response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
}

function listen(listener: RequestListener): Promise<RunningServer> {
  const server = createServer(listener);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      const close = () =>
        new Promise<void>((done) => {
          server.close(() => done());
          server.closeAllConnections();
        });
      resolve({ url: `http://127.0.0.1:${port}`, close });
    });
  });
}
