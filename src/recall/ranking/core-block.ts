import { sumBy } from '../../platform/base/sum.js';
import { fieldsOf, type Renderable } from './rendering.js';
import { estimateTokens } from './token-estimate.js';

/** Do the notes of the core block, as they are told, fit into its budget of tokens? */
export const coreFits = (notes: readonly Renderable[], tokens: number): boolean =>
  sumBy(notes, (note) => estimateTokens(JSON.stringify(fieldsOf(note)))) <= tokens;
