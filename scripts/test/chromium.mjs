import { existsSync } from 'node:fs';

/** Returns the path of Chromium. Without one, prints how to install it and ends the process. */
export function findChromium() {
  const path = [process.env.GUILDBOOK_TEST_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
    (candidate) => candidate && existsSync(candidate),
  );
  if (path) return path;
  console.error(
    'Chromium was not found. On Debian: apt-get install chromium. Otherwise set GUILDBOOK_TEST_CHROMIUM to its path.',
  );
  process.exit(1);
}

/** For a browser that opens only our own pages. They also work as root and without a display. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
