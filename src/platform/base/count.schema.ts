import { z } from 'zod';

/** A number of items. */
export const count = z.int().min(0);
