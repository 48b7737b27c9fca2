import { readFileSync, statSync } from 'node:fs';
import { Inject, Injectable } from '@nestjs/common';
import type { z } from 'zod';
import { canonicalJson, sha256 } from '../../platform/base/canonical-json.js';
import { parseJson } from '../../platform/base/parse-json.js';
import { SettingsError } from '../../platform/config/config.errors.js';
import { type Config, SETTINGS } from '../../platform/config/config.js';
import { CONFIG } from '../../platform/platform.module.js';
import { DEFAULT_PROFILE, RankingProfile } from './ranking-profile.schema.js';

/** A profile has some hundred bytes; a larger file is another file. */
const MAX_BYTES = 65_536;

/** The profile of this process, read once at the start. */
@Injectable()
export class RankingProfiles {
  readonly current: RankingProfile;
  /** Hash of the profile with all defaults filled in: equal hashes rank equally. */
  readonly sha256: string;
  /** False without the setting. Then recalls do not name a profile. */
  readonly isFromFile: boolean;

  /** Throws SettingsError if the file cannot be read or is not a profile. */
  constructor(@Inject(CONFIG) { rankingProfile: file }: Pick<Config, 'rankingProfile'>) {
    this.current = file === undefined ? DEFAULT_PROFILE : readProfile(file);
    this.sha256 = sha256(canonicalJson(this.current));
    this.isFromFile = file !== undefined;
  }

  /** Name and hash for a result; undefined without the setting. */
  get reference(): { readonly name: string; readonly sha256: string } | undefined {
    return this.isFromFile ? { name: this.current.name, sha256: this.sha256 } : undefined;
  }
}

/** Returns the profile in a file. The error names the setting, the file and each field, and no value. */
export function readProfile(file: string): RankingProfile {
  const value = parseJson(textOf(file));
  if (value === undefined) throw problem(file, 'is not JSON');
  const parsed = RankingProfile.safeParse(value);
  if (parsed.success) return parsed.data;
  throw problem(file, parsed.error.issues.map(described).join('; '));
}

function textOf(file: string): string {
  try {
    if (statSync(file).size <= MAX_BYTES) return readFileSync(file, 'utf8');
  } catch (error) {
    // Every error of node:fs has this type.
    throw problem(file, `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`);
  }
  throw problem(file, `is larger than ${MAX_BYTES.toLocaleString('en-US')} bytes`);
}

const described = ({ path, message }: z.core.$ZodIssue): string =>
  path.length === 0 ? message : `${path.join('.')}: ${message}`;

const problem = (file: string, reason: string): SettingsError =>
  new SettingsError(`${SETTINGS.rankingProfile.env}: ${file}: ${reason}.`);
