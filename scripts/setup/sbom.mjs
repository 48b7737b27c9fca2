import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { npmCommand } from './dependencies.mjs';
import { StepFailed } from './progress.mjs';
import { ROOT } from './stamp.mjs';

/**
 * Writes the software bill of materials (CycloneDX, JSON): what an installation of this lock file contains.
 * npm makes it from npm-shrinkwrap.json, without a network. The same lock file gives the same bytes.
 */
export function writeSbom(file) {
  const [command, ...first] = npmCommand();
  const args = [...first, 'sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new StepFailed(`The bill of materials could not be written:\n${stderr}`);
  const { serialNumber: _random, metadata, components, dependencies, ...bill } = JSON.parse(stdout);
  const { timestamp: _time, ...fixed } = metadata;
  const { name, version } = readJson('package.json');
  const installed = productionPackages();
  const isInstalled = (reference) => installed.has(reference);
  const written = {
    ...bill,
    // npm takes the name of the folder, which differs from machine to machine.
    metadata: { ...fixed, component: { ...fixed.component, type: 'application', name } },
    // Chosen here: with --omit, npm 11 leaves out packages that other packages need.
    components: components
      .filter((component) => isInstalled(component['bom-ref']))
      // An alias is named by what is installed.
      .map((component) => ({ ...component, name: component['bom-ref'].replace(/@[^@]*$/, '') })),
    dependencies: dependencies
      .filter(({ ref }) => isInstalled(ref) || ref === `${name}@${version}`)
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isInstalled) })),
  };
  writeFileSync(resolve(ROOT, file), `${JSON.stringify(written, null, 2)}\n`);
}

/** `name@version` of each package that a user's installation has, also of optional ones, because npm installs them. */
export function productionPackages() {
  const packages = Object.entries(readJson('npm-shrinkwrap.json').packages);
  const needed = packages.filter(([path, { dev, devOptional, peer }]) => path !== '' && !(dev || devOptional || peer));
  return new Set(
    needed.map(([path, { name, version }]) => `${name ?? path.replace(/^.*node_modules\//, '')}@${version}`),
  );
}

function readJson(file) {
  return JSON.parse(readFileSync(resolve(ROOT, file), 'utf8'));
}
