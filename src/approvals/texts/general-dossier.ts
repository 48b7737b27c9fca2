import type { Dossier } from '../../evidence/dossier/dossier.schema.js';
import { canonicalJson } from '../../platform/base/canonical-json.js';
import { clip } from '../../untrusted/text/clip.js';
import { generaliseCommand, generaliseWith, homeOwnersIn } from '../../untrusted/text/generalise.js';
import { mapStrings } from '../../untrusted/text/map-strings.js';

/** The size of a dossier as canonical JSON, in UTF-16 code units: about 2,000 tokens. */
export const LARGEST_DOSSIER = 8_192;

/** Generalises the texts of a dossier: its calls as commands, everything else as prose. */
export function generaliseDossier({ examples, ...dossier }: Dossier): Dossier {
  const owners = homeOwnersIn({ examples, dossier });
  return {
    ...mapStrings(dossier, (text) => generaliseWith(text, owners)),
    examples: mapStrings(examples, (text) => generaliseCommand(text, owners)),
  };
}

/**
 * Cuts sanitized texts to the length that they had before, since a marker may be longer than what it replaced, and
 * leaves out the last examples of a dossier that is too large. `before` has the same fields.
 */
export function fitDossier<T extends Dossier>(clean: T, before: Dossier): T {
  const lengths: number[] = [];
  mapStrings(before, (text) => {
    lengths.push(text.length);
    return text;
  });
  let next = 0;
  // In the order of `before`, so that the n-th text of both is the same one.
  let fitted = mapStrings({ ...before, ...clean }, (text) => clip(text, lengths[next++] ?? 0));
  while (fitted.examples.length > 0 && canonicalJson(fitted).length > LARGEST_DOSSIER)
    fitted = { ...fitted, examples: fitted.examples.slice(0, -1) };
  return fitted;
}
