import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { ProposalDetails } from '../../src/approvals/proposals/proposals.schema.js';
import { EXIT, type ExitCode } from '../../src/cli/terminal/cli-error.js';
import type { JournalVerification } from '../../src/journal/journal.schema.js';
import { JournalAudit } from '../../src/journal/journal-audit.service.js';
import { Publisher } from '../../src/skills/publishing/publisher.service.js';
import { startTestApplication, type TestApplication } from '../support/application.js';
import { CommandLine } from '../support/command-line.js';
import { proposedByFleet } from '../support/fleet.js';

let app: TestApplication;
let proposal: ProposalDetails;
let program: CommandLine;

beforeAll(async () => {
  app = await startTestApplication();
  stopTimers(app.app.get(SchedulerRegistry));
  proposal = await proposedByFleet(app, ['ada', 'ben', 'cleo']);
  program = await CommandLine.create();
});
afterAll(async () => {
  await program.remove();
  await app.close();
});

/** Two commands read the same journal only if no job writes an entry between them. */
function stopTimers(timers: SchedulerRegistry): void {
  for (const name of timers.getIntervals()) timers.deleteInterval(name);
}

const journal = (...args: string[]) =>
  program.run(['journal', ...args], { GUILDBOOK_SERVER: app.url, GUILDBOOK_TOKEN: app.adminToken });
const succeeds = async (...args: string[]) => {
  const { code, stdout, stderr } = await journal(...args);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return stdout;
};
const fails = (...args: string[]) => failsWith(EXIT.failed, ...args);
const failsWith = async (exit: ExitCode, ...args: string[]) => {
  const { code, stderr } = await journal(...args);
  expect({ args, code }).toEqual({ args, code: exit });
  return stderr;
};
const head = async () => (JSON.parse(await succeeds('verify', '--json')) as JournalVerification).head;

describe('the journal of an approved skill', () => {
  let log: string;

  beforeAll(async () => {
    await app.admin.proposals.approve(proposal.id, proposal.artifactSha256);
    await app.app.get(Publisher).idle();
    log = join(program.folder, 'log');
    await writeFile(log, execFileSync('git', ['log', '--format=%B'], { cwd: app.skillsDir }));
  });

  it('has no proof before the first signature', async () => {
    expect(await failsWith(EXIT.notFound, 'prove', '1')).toContain('journal.not_signed');
    expect(await failsWith(EXIT.notFound, 'checkpoint')).toContain('journal.not_signed');
  });

  it('is proven entry by entry after the signature, with a key from another source', async () => {
    await app.app.get(JournalAudit).sign();
    const { note, size, verifierKey } = await app.admin.journal.checkpoint();
    expect(await succeeds('checkpoint')).toBe(note);
    const { items } = await app.admin.journal.list({ action: 'proposal.approved' });
    const seq = String(items[0]?.seq);
    expect(await succeeds('prove', seq, '--key', verifierKey)).toContain(`over ${size} entries`);
    expect(await fails('prove', seq, '--key', verifierKey.replace(/.$/, 'A'))).toContain('is invalid');
    expect(await failsWith(EXIT.notFound, 'prove', String(size + 1000))).toContain('journal.no_entry');
    expect(await failsWith(EXIT.usage, 'prove', 'x')).toContain('seq');
  });

  it('is compared with a head, with the commits and with a saved checkpoint', async () => {
    const { seq, hash } = await head();
    expect(await succeeds('verify', '--head', `${seq}:${hash}`)).toContain('1 known entry');
    expect(await fails('verify', '--head', `${seq}:${'0'.repeat(64)}`)).toContain('is not the head that you know');
    expect(await fails('verify', '--head', `${seq + 1}:${hash}`)).toContain('the journal ends before');
    expect(await failsWith(EXIT.usage, 'verify', '--head', 'yesterday')).toContain('--head yesterday');
    expect(await succeeds('verify', '--commits', log)).toContain('1 known entry');
    const forged = (await readFile(log, 'utf8')).replace(/(Guildbook-Journal-Signature: ......)../, '$1AA');
    await writeFile(`${log}.forged`, forged);
    expect(await fails('verify', '--commits', `${log}.forged`)).toContain("signature that is not the journal's");
    await writeFile(`${log}.bare`, (await readFile(log, 'utf8')).replace(/^ *Guildbook-Journal-Signature: .*\n/m, ''));
    expect(await succeeds('verify', '--commits', `${log}.bare`)).toContain("1 commit without the journal's signature");
    await writeFile(`${log}.none`, 'Publish nothing\n');
    expect(await failsWith(EXIT.usage, 'verify', '--commits', `${log}.none`)).toContain('git log --format=%B');
    await writeFile(`${log}.checkpoint`, await succeeds('checkpoint'));
    expect(await succeeds('verify', '--checkpoint', `${log}.checkpoint`)).toContain('1 known entry');
    expect(await failsWith(EXIT.usage, 'verify', '--checkpoint', log)).toContain('not a checkpoint');
  });

  it('is exported as lines that can be verified without the server', async () => {
    const file = join(program.folder, 'journal.jsonl');
    const { seq } = await head();
    expect(await succeeds('export', file)).toContain(`${seq} entries`);
    expect(await succeeds('export')).toBe(await readFile(file, 'utf8'));
    expect(await succeeds('verify', '--file', file)).toContain(`${seq} entries`);
    const changed = (await readFile(file, 'utf8')).replace(
      '"actorName":"Administrator"',
      '"actorName":"Another person"',
    );
    await writeFile(file, changed);
    expect(await fails('verify', '--file', file)).toContain('was changed after it was written');
    await writeFile(file, '{"seq": 1}\n');
    expect(await failsWith(EXIT.usage, 'verify', '--file', file)).toContain('line 1 is not a journal entry');
  });

  it('is paged: the page after the last entry is empty', async () => {
    const get = async (query: string) =>
      (
        await fetch(`${app.url}/v1/journal/export?${query}`, { headers: { authorization: `Bearer ${app.adminToken}` } })
      ).text();
    const { seq } = await head();
    const lines = (await get('limit=5000')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).seq)).toEqual(Array.from({ length: lines.length }, (_, n) => n + 1));
    expect((await get('after=1&limit=2')).trimEnd().split('\n')).toEqual(lines.slice(1, 3));
    expect(await get(`after=${seq + 1000}`)).toBe('');
  });
});
