import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { PROJECT_ROOT } from '../../src/platform/config/config.js';

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      name: z.string().optional(),
      version: z.string().optional(),
      dev: z.boolean().optional(),
      optional: z.boolean().optional(),
      devOptional: z.boolean().optional(),
      peer: z.boolean().optional(),
      hasInstallScript: z.boolean().optional(),
      license: z.string().optional(),
    }),
  ),
});
const Bill = z.object({
  bomFormat: z.literal('CycloneDX'),
  metadata: z.object({ component: z.object({ name: z.string(), version: z.string() }) }),
  components: z.array(z.object({ name: z.string(), version: z.string() })),
});
/** Asks for a notice and nothing else. */
const PERMISSIVE =
  /^(?:MIT|ISC|0BSD|Unlicense|BSD-[23]-Clause|Apache-2\.0|Python-2\.0|\(Apache-2\.0 AND BSD-3-Clause\))$/;
/** Packages whose only work is to report an installation or a start to their makers. */
const TELEMETRY = ['@scarf/scarf', 'scarf', 'opencollective-postinstall'];

const read = (file: string): string => readFileSync(join(PROJECT_ROOT, file), 'utf8');
const packages = Object.entries(Lock.parse(JSON.parse(read('npm-shrinkwrap.json'))).packages).filter(
  ([path]) => path !== '',
);
const nameOf = ([path, { name }]: (typeof packages)[number]): string => name ?? path.replace(/^.*node_modules\//, '');
const inProduction = packages.filter(
  ([, { dev, optional, devOptional, peer }]) => !(dev || optional || devOptional || peer),
);

describe('the installed packages', () => {
  it('of an installation have permissive licences, and are as many as the document says', () => {
    const others = inProduction.filter(([, { license = '' }]) => !PERMISSIVE.test(license));
    expect(others.map((one) => `${nameOf(one)}: ${one[1].license}`)).toEqual([]);
    expect(/installs (\d+) packages/.exec(read('docs/dependencies.md'))?.[1]).toBe(String(inProduction.length));
  });

  it('run no script when they are installed', () => {
    expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true');
    expect(inProduction.length).toBeGreaterThan(50);
    expect(inProduction.filter(([, { hasInstallScript }]) => hasInstallScript).map(nameOf)).toEqual([]);
  });

  it('report nothing to their makers', () => {
    expect(packages.map(nameOf).filter((name) => TELEMETRY.includes(name))).toEqual([]);
  });

  it('are listed in the bill of materials of the build', () => {
    const folder = mkdtempSync(join(tmpdir(), 'guildbook-sbom-'));
    try {
      const file = join(folder, 'sbom.json');
      const script = `import { writeSbom } from './scripts/setup/sbom.mjs'; writeSbom(${JSON.stringify(file)})`;
      execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: PROJECT_ROOT });
      const { metadata, components } = Bill.parse(JSON.parse(readFileSync(file, 'utf8')));
      expect(metadata.component).toMatchObject({ name: 'guildbook', version: '0.1.0' });
      const listed = new Set(components.map(({ name, version }) => `${name}@${version}`));
      const wanted = inProduction.map((entry) => `${nameOf(entry)}@${entry[1].version}`);
      expect(wanted.filter((one) => !listed.has(one))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
