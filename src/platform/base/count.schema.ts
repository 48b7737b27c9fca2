import { z } from 'zod';

/** How many of something there are. */
export const count = z.int().min(0);
