import { z } from 'zod';

export const SkillName = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, { error: 'must be a skill name' })
  .max(64);

export const ReferenceFile = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*\.md$/, { error: 'must be a reference file' })
  .max(64);
