import { readFileSync } from 'node:fs';

const HEADING = '## Production dependencies';

/** Lists production dependencies without a reason in the document, and reasons for other packages; one line each. */
export function unlistedDependencies(document, manifest) {
  const [, section = ''] = readFileSync(document, 'utf8').split(`${HEADING}\n`);
  const rows = section.split('\n## ')[0].matchAll(/^\|([^|]*)\|/gm);
  const listed = [...rows].flatMap(([, cell]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  const installed = Object.keys(JSON.parse(readFileSync(manifest, 'utf8')).dependencies);
  return [
    ...installed.filter((name) => !listed.includes(name)).map((name) => `${document}: no reason for ${name}`),
    ...listed.filter((name) => !installed.includes(name)).map((name) => `${document}: ${name} is not a dependency`),
  ];
}
