import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { JUDGEMENT_FILES, type Judgement } from '../../capture/importers/importer.js';

const MAX_BYTES = 16 * 1024 * 1024;
/** Harbor stores a trajectory in this folder of the trial, and the trial's result beside the folder. */
const HARBOR_AGENT = 'agent';

/** The name of a file whose content can judge others. */
const isJudgement = (file: string): boolean => JUDGEMENT_FILES.some((name) => name === basename(file));

/** The nearest folders of a transcript; those of the next one are the same or new. */
const MAX_FOLDERS = 4;

interface Folder {
  readonly hasOneTranscript: boolean;
  readonly texts: ReadonlyMap<string, string>;
}

/** Reads the files that may judge transcripts, once for all transcripts that follow each other in a folder. */
export class FolderJudgements {
  private readonly folders = new Map<string, Promise<Folder>>();

  /** The files beside a transcript, and in the folder above it, that may judge it. Unreadable ones are left out. */
  async of(file: string): Promise<Judgement[]> {
    const folder = dirname(file);
    const isTrial = basename(folder) === HARBOR_AGENT;
    const beside = await this.at(folder);
    const places = [
      { path: folder, texts: beside.texts, isOfOne: beside.hasOneTranscript },
      { path: dirname(folder), texts: (await this.at(dirname(folder))).texts, isOfOne: isTrial },
    ];
    return (isTrial ? places.toReversed() : places).flatMap(({ path, texts, isOfOne }) =>
      // A result that judges, without a transcript of its own, is no judgement of itself.
      [...texts].flatMap(([name, text]) => (join(path, name) === file ? [] : [{ name, isOfOne, text }])),
    );
  }

  private at(folder: string): Promise<Folder> {
    const known = this.folders.get(folder);
    if (known !== undefined) return known;
    if (this.folders.size >= MAX_FOLDERS) this.folders.clear();
    const read = readFolder(folder);
    this.folders.set(folder, read);
    return read;
  }
}

async function readFolder(folder: string): Promise<Folder> {
  const names = await readdir(folder).catch((): string[] => []);
  const texts = new Map<string, string>();
  for (const name of JUDGEMENT_FILES) {
    const text = names.includes(name) ? await textOf(join(folder, name)) : undefined;
    if (text !== undefined) texts.set(name, text);
  }
  const transcripts = names.filter((name) => /\.(?:jsonl?|traj)$/.test(name) && !isJudgement(name));
  return { hasOneTranscript: transcripts.length === 1, texts };
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    const facts = await stat(path);
    return facts.isFile() && facts.size <= MAX_BYTES ? await readFile(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
