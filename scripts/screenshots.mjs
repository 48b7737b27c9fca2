#!/usr/bin/env node
/**
 * npm run screenshots [-- --all <folder>]
 *
 * Takes pictures of the console's main screens, light and dark, with the sample fleet: the demo runs in a temporary
 * folder, and Chromium opens it. Writes the pictures in the documents to docs/pictures as WebP. With --all, writes every
 * screen at 1440 × 900 and 390 × 844 to the given folder as PNG, for a close look.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { prepare } from './setup/prepare.mjs';
import { ROOT } from './setup/stamp.mjs';
import { CHROMIUM_FLAGS, findChromium } from './test/chromium.mjs';

const DESK = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const START_MS = 300_000;

const HELP = `npm run screenshots                    # the pictures of the documents, to docs/pictures
npm run screenshots -- --all <folder>  # every screen at 1440 × 900 and 390 × 844, as PNG`;

const { all, help } = parseArgs({ options: { all: { type: 'string' }, help: { type: 'boolean' } } }).values;
if (help) {
  console.log(HELP);
  process.exit(0);
}
const out = all ?? join(ROOT, 'docs/pictures');
/** Screens and sizes that the documents show. */
const SHOWN = ['dashboard-desk', 'review-desk', 'review-phone', 'skill-desk', 'fleet-desk', 'cycle-desk', 'start-desk'];

/**
 * The screens, each with the steps from the dashboard. `isClose`: only with --all, because it changes what is shown.
 */
const SCREENS = [
  { name: 'dashboard', go: (page) => page.goto('/') },
  { name: 'review', go: openFirst },
  { name: 'edit', go: editFirst },
  { name: 'edited', go: openEdited, isClose: true },
  { name: 'skills', go: (page) => page.goto('/skills') },
  { name: 'skill', go: (page) => follow(page, '/skills', 'tbody th a') },
  { name: 'fleet', go: (page) => page.goto('/fleet') },
  { name: 'execution', go: (page) => follow(page, '/fleet', 'tbody th a') },
  { name: 'cycle', go: (page) => follow(page, '/cycles', 'tbody th a') },
  { name: 'journal', go: (page) => page.goto('/journal?verify=1') },
  { name: 'settings', go: (page) => page.goto('/settings/agents') },
  { name: 'settings-people', go: (page) => page.goto('/settings') },
  { name: 'settings-server', go: (page) => page.goto('/settings/server') },
  { name: 'settings-audit', go: (page) => page.goto('/settings/audit') },
  { name: 'settings-webhooks', go: (page) => page.goto('/settings/webhooks') },
  { name: 'start', go: (page) => page.goto('/start') },
];

async function openFirst(page) {
  await follow(page, '/', '.queue a.row');
}

async function editFirst(page) {
  await openFirst(page);
  await page.goto(`${page.url()}/edit`);
}

/** Edits the first proposal once, so that its page shows revisions and authors. */
async function openEdited(page) {
  if (!new URL(page.url()).pathname.endsWith('/edit')) await editFirst(page);
  const [review] = page.url().split('/edit');
  await page.fill('textarea[name=rationale]', 'The images of the build have the compose plugin only.');
  await page.fill('textarea[name=gotchas]', 'Older machines still have the separate program.');
  await page.locator('button[value=save]').click();
  await page.goto(review);
}

async function follow(page, from, link) {
  await page.goto(from);
  await page.goto(await page.locator(link).first().getAttribute('href'));
}

/** Starts the demo. `signIn` resolves to the sign-in address when the demo is ready. */
function startDemo() {
  const demo = spawn(process.execPath, [join(ROOT, 'dist/cli/main.js'), 'demo'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const signIn = new Promise((resolve, reject) => {
    let output = '';
    const timeout = setTimeout(() => reject(new Error(`the demo did not become ready:\n${output}`)), START_MS);
    demo.stdout.on('data', (chunk) => {
      output += chunk;
      const url = output.match(/http:\S+\/sign-in\?token=\S+/)?.[0];
      if (!url) return;
      clearTimeout(timeout);
      resolve(url);
    });
    demo.once('exit', (code) => reject(new Error(`the demo ended with ${code}:\n${output}`)));
  });
  return { demo, signIn };
}

async function take(page, path) {
  if (all) return page.screenshot({ path: `${path}.png` });
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  await session.detach();
  writeFileSync(`${path}.webp`, Buffer.from(data, 'base64'));
}

await prepare(['deps', 'client', 'build']);
const executablePath = findChromium();
mkdirSync(out, { recursive: true });
const { demo, signIn } = startDemo();
const profile = mkdtempSync(join(tmpdir(), 'guildbook-pictures-'));
try {
  const link = new URL(await signIn);
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: CHROMIUM_FLAGS,
    baseURL: link.origin,
    viewport: DESK,
  });
  const page = context.pages()[0] ?? (await context.newPage());
  await page.goto(link.href);
  await page.getByRole('button', { name: 'Sign in' }).click();
  let made = 0;
  for (const { name, go, isClose } of SCREENS) {
    if (isClose && !all) continue;
    await page.setViewportSize(DESK);
    await go(page);
    for (const size of [DESK, PHONE]) {
      const picture = `${name}-${size === DESK ? 'desk' : 'phone'}`;
      if (!all && !SHOWN.includes(picture)) continue;
      await page.setViewportSize(size);
      for (const theme of ['light', 'dark']) {
        // Without motion, so that no picture shows a colour between the two themes.
        await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
        await take(page, join(out, `${picture}-${theme}`));
        made += 1;
      }
    }
  }
  console.log(`${made} pictures are in ${out}.`);
  await context.close();
} finally {
  rmSync(profile, { recursive: true, force: true });
  demo.removeAllListeners('exit');
  demo.kill('SIGTERM');
}
