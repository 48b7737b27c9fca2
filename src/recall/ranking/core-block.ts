import { sumBy } from '../../platform/base/sum.js';
import { fieldsOf, type Renderable } from './rendering.js';
import { estimateTokens } from './token-estimate.js';

/** Returns whether the rendered notes of the core block fit into its token budget. */
export const coreFits = (notes: readonly Renderable[], tokens: number): boolean =>
  sumBy(notes, (note) => estimateTokens(JSON.stringify(fieldsOf(note, undefined, 'full')))) <= tokens;
