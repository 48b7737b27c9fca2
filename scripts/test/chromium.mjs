import { existsSync } from 'node:fs';

/** The path of a Chromium; says how to get one and ends the process where there is none. */
export function findChromium() {
  const path = [process.env.GUILDBOOK_TEST_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
    (candidate) => candidate && existsSync(candidate),
  );
  if (path) return path;
  console.error('There is no Chromium. On Debian: apt-get install chromium; else name one in GUILDBOOK_TEST_CHROMIUM.');
  process.exit(1);
}

/** For a browser that sees nothing but our own pages, also as root and without a display. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
