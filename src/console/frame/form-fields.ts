import { z } from 'zod';

/** An optional field: browsers send it as an empty string. */
export const optionalField = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional());

/** A checkbox: browsers send it only if it is checked. */
export const checkbox = z
  .string()
  .max(10)
  .optional()
  .transform((value) => value !== undefined);
