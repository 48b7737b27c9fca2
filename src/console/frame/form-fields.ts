import { z } from 'zod';

/** A field of a form that may be left empty: browsers send it along all the same. */
export const optionalField = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional());

/** A box that is ticked, or is not sent at all. */
export const checkbox = z
  .string()
  .max(10)
  .optional()
  .transform((value) => value !== undefined);
