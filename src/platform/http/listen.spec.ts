import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { listenError, requireFreeAddress } from './listen.js';

const HOST = '127.0.0.1';
let server: Server | undefined;
afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

/** A program on a free port that answers with this. */
async function programThatAnswers(text: string): Promise<number> {
  const started = createServer((_request, answer) => answer.end(text));
  server = started;
  await new Promise<void>((resolve) => started.listen(0, HOST, resolve));
  const address = started.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('the address of a start', () => {
  it('may be free', async () => {
    await expect(requireFreeAddress({ host: HOST, port: 0 })).resolves.toBeUndefined();
  });

  it.each(['nothing', '{"status":"ok"}'])('is refused if another program has it, which answers %s', async (text) => {
    const port = await programThatAnswers(text);
    await expect(requireFreeAddress({ host: HOST, port })).rejects.toThrow(
      `Port ${port} of ${HOST} is in use by another program: stop that one, or set GUILDBOOK_PORT to another port`,
    );
  });

  it.each([
    '{"status":"degraded","problems":[],"database":"embedded","roles":"in force","progress":{}}',
    '{"type":"urn:guildbook:problem:database.unavailable"}',
  ])('is known to be used by another Guildbook, ready or not', async (text) => {
    const port = await programThatAnswers(text);
    await expect(requireFreeAddress({ host: HOST, port })).rejects.toMatchObject({ code: 'port.in_use_by_guildbook' });
  });

  it.each(['192.0.2.1', 'nowhere.invalid'])('is refused if the machine does not have it: %s', async (host) => {
    await expect(requireFreeAddress({ host, port: 0 })).rejects.toThrow(`This machine has no address ${host} (E`);
  });

  it('is refused if it is reserved, and other errors stay as they are', async () => {
    const forbidden = Object.assign(new Error('no'), { code: 'EACCES' });
    expect(await listenError(forbidden, { host: HOST, port: 80 })).toMatchObject({ code: 'port.forbidden' });
    const other = new Error('other');
    expect(await listenError(other, { host: HOST, port: 80 })).toBe(other);
  });
});
