import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { JUDGEMENT_FILES, type Judgement } from '../../capture/importers/importer.js';

const MAX_BYTES = 16 * 1024 * 1024;
/** Harbor stores a trajectory in this folder of the trial, and the trial's result beside the folder. */
const HARBOR_AGENT = 'agent';

/** The name of a file whose content can judge others. */
const isJudgement = (file: string): boolean => JUDGEMENT_FILES.some((name) => name === basename(file));

/** The files beside a transcript, and in the folder above it, that may judge it. Unreadable ones are left out. */
export async function judgementsOf(file: string): Promise<Judgement[]> {
  const folder = dirname(file);
  const above = dirname(folder);
  const isTrial = basename(folder) === HARBOR_AGENT;
  const places = [
    { folder, isOfOne: await isOnlyTranscript(folder) },
    { folder: above, isOfOne: isTrial },
  ];
  // A result that judges, without a transcript of its own, is no judgement of itself.
  const paths = (isTrial ? places.toReversed() : places).flatMap(({ folder: place, isOfOne }) =>
    JUDGEMENT_FILES.map((name) => ({ name, isOfOne, path: join(place, name) })).filter(({ path }) => path !== file),
  );
  const read = await Promise.all(paths.map(async (one) => ({ ...one, text: await textOf(one.path) })));
  return read.flatMap(({ name, isOfOne, text }) => (text === undefined ? [] : [{ name, isOfOne, text }]));
}

async function isOnlyTranscript(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((): string[] => []);
  return names.filter((name) => /\.(?:jsonl?|traj)$/.test(name) && !isJudgement(name)).length === 1;
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    const facts = await stat(path);
    return facts.isFile() && facts.size <= MAX_BYTES ? await readFile(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
