import { z } from 'zod';
import { isIdPrefix } from './id-prefix.js';

/** The first 4 or more characters of an id, for a list that shows the ids which begin with them. */
export const IdPrefix = z
  .string()
  .toLowerCase()
  .refine(isIdPrefix, { error: 'must be the first 4 or more characters of an id' })
  .meta({ example: '0b9d3c52' });
