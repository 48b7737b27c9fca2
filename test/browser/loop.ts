import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { importFiles } from '../../src/cli/commands/import.js';
import { transcriptFiles } from '../../src/cli/sources/transcript-files.js';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';
import type { TestApplication } from '../support/application.js';
import { invitation, openChromium, signInWith } from '../support/chromium.js';

/** The first run on an empty server. Leaves an empty queue. */
export function loop(running: () => TestApplication): void {
  it('leads from an empty server through an import and a cycle to a committed SKILL.md', async () => {
    const app = running();
    const browser = await openChromium(app);
    const { page } = browser;
    await signInWith(browser, await invitation(app, 'Nina Newcomer', { reviewer: true, admin: true }), '/');
    await page.getByRole('link', { name: 'Import executions' }).click();
    await page.getByText('Waiting for the first execution').waitFor();
    await page.getByRole('button', { name: 'Create token' }).first().click();
    const command = (await page.locator('pre').nth(1).textContent()) ?? '';
    const token = command.match(/GUILDBOOK_TOKEN=(\S+)/)?.[1];
    expect(command).toContain(`GUILDBOOK_SERVER=${app.url}`);
    const files = await transcriptFiles([join(PROJECT_ROOT, 'examples', 'sample-fleet')]);
    await importFiles(app.client(token), files, { agentPer: 'project' });
    await app.settled();
    // The page updates in place without a reload, so it still shows the token. A poll may be lost on a slow machine.
    await page.getByRole('heading', { name: 'executions have arrived' }).waitFor({ timeout: 60_000 });
    expect(await page.locator('pre').first().textContent()).toBe(token);
    await page.getByRole('button', { name: 'Run a cycle now' }).click();
    await page.waitForURL('**/cycles/*');
    await page.getByRole('heading', { name: 'From executions to skills' }).waitFor();
    await page.keyboard.press('t');
    await page.waitForURL(`${app.url}/`);
    await page.keyboard.press('n');
    await page.waitForURL('**/review/*');
    const id = page.url().split('/').at(-1) ?? '';
    // At 1440 × 900, an ordinary proposal fits without scrolling the page, the file or the evidence.
    const scrolling = await page.evaluate<string[]>(
      "['html', '.skill .code', '.left', '.right'].filter((name) => { const it = document.querySelector(name); return it.scrollHeight > it.clientHeight + 1; })",
    );
    expect(scrolling).toEqual([]);
    await page.keyboard.press('a');
    await page.keyboard.press('a');
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    const { state, artifact, skillName } = await app.admin.proposals.show(id);
    expect(state).toBe('approved');
    await app.settled();
    expect(readFileSync(join(app.skillsDir, skillName, 'SKILL.md'), 'utf8')).toBe(artifact);
    await page.goto(`/skills/${skillName}`);
    const { publication } = await app.admin.skills.show(skillName);
    await page.getByText(publication.commit?.slice(0, 10) ?? 'no commit').waitFor();
    await page.getByRole('link', { name: 'show the execution' }).click();
    await page.waitForURL('**/executions/*');
    expect(browser.complaints).toEqual([]);
    await browser.close();
    for (const item of (await app.admin.proposals.list({ limit: 100 })).items)
      await app.admin.proposals.reject(item.id, 'out of the way of the next test');
  });
}
