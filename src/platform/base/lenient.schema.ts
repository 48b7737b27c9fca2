import { z } from 'zod';

/**
 * Fields of a record that another program wrote: one of the wrong type is treated as missing, because such formats
 * change with every version.
 */
export const lenient = <S extends z.ZodType>(schema: S) => schema.optional().catch(undefined);

export const text = lenient(z.string());
export const count = lenient(z.number());
export const flag = lenient(z.boolean());
export const list = lenient(z.array(z.unknown()));

/** The items of a list that are readable. */
export const readable = <T>(items: readonly unknown[] | undefined, schema: z.ZodType<T>): T[] =>
  (items ?? []).flatMap((item) => schema.safeParse(item).data ?? []);
