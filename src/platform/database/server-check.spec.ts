import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { openedServer, requireUsable } from './server-check.js';

const PASSWORD = 'made-up-password';
let server: Server | undefined;
afterEach(() => {
  server?.close();
});

/** A server that answers a login with this error of PostgreSQL, or with bytes. */
async function serverThatAnswers(answer: { code: string; message: string } | 'hang up'): Promise<number> {
  const started = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(answer === 'hang up' ? '' : errorResponse(answer)));
  });
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  const address = started.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function errorResponse({ code, message }: { code: string; message: string }): Buffer {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

async function problemOf(port: number): Promise<string> {
  const url = `postgresql://ada:${PASSWORD}@127.0.0.1:${port}/skills`;
  const opened = openedServer(url, () => new pg.Pool());
  const error: unknown = await opened.catch((thrown: unknown) => thrown);
  const message = error instanceof Error ? error.message : '';
  expect(message).not.toContain(PASSWORD);
  return message;
}

describe('a PostgreSQL server', () => {
  it('is named if it does not answer', async () => {
    const port = await serverThatAnswers('hang up');
    expect(await problemOf(port)).toMatch(
      /^The PostgreSQL server 127\.0\.0\.1:\d+ does not answer \(.+\): start it, or/,
    );
    await new Promise((resolve) => server?.close(resolve));
    expect(await problemOf(port)).toContain('does not answer (ECONNREFUSED): start it, or correct the host and port');
  });

  it.each([
    ['28P01', 'password authentication failed for user "ada"', 'refuses the login: correct the user and the password'],
    ['3D000', 'database "skills" does not exist', 'has no database skills: create it, or correct the name'],
    ['28000', 'no entry for host', 'refuses the connection (no entry for host): correct DATABASE_URL'],
    ['53300', 'too many clients already', 'refuses the connection (too many clients already)'],
  ])('is named with what it refuses: %s', async (code, message, expected) => {
    expect(await problemOf(await serverThatAnswers({ code, message }))).toContain(expected);
  });

  it('is refused by the setting if the address cannot be read', async () => {
    await expect(openedServer(`postgresql://ada:${PASSWORD}/%@[x`, () => new pg.Pool())).rejects.toThrow(
      /^DATABASE_URL: must be a postgresql: address in which special characters of the user and the password are percent-encoded$/,
    );
  });

  it('has to be of a known version, store UTF-8 and let the login create tables', () => {
    const found = { version: '15.4 (Debian)', number: 150_004, encoding: 'UTF8', mayCreate: true, login: 'ada' };
    const address = { server: 'db:5432', database: 'skills' };
    const check = (changes: Partial<typeof found>) => () => requireUsable({ ...found, ...changes }, address);
    expect(check({})).not.toThrow();
    expect(check({ version: '14.11 (Debian)', number: 140_011 })).toThrow('is version 14.11, and Guildbook needs 15');
    expect(check({ encoding: 'SQL_ASCII' })).toThrow('The database skills stores text as SQL_ASCII, and Guildbook');
    expect(check({ mayCreate: false })).toThrow('The login ada may not create tables in the database skills: make it');
  });
});
