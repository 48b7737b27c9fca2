import { gunzipSync, gzip } from 'node:zlib';
import { OBSERVATION_VERSION } from '../../capture/observations/observation.js';
import { CountRecord } from '../support/count-records.schema.js';

/** Raise it with every change of the records, or of what the counters make of observations. */
const RECORDS_VERSION = 3;

/** Counts of another format are not read: the rules that made them, or their form, are not those of this program. */
export const STATE_FORMAT = `records ${RECORDS_VERSION}, observations ${OBSERVATION_VERSION}`;

/** Characters of a part before it is compressed: some milliseconds of work, between which other work runs. */
const PART_CHARACTERS = 131_072;
/** More than any record of {@link CountRecord} has. */
const PART_MAX_BYTES = 16 * 1_024 * 1_024;
/** Fast: the ids and hashes of executions, which are most of the bytes, do not compress further. */
const LEVEL = 3;

/** The records as JSON texts. A record is in one part. */
export function* partsOf(records: Iterable<CountRecord>): Generator<string> {
  let part: string[] = [];
  let characters = 0;
  for (const record of records) {
    const text = JSON.stringify(record);
    part.push(text);
    characters += text.length;
    if (characters < PART_CHARACTERS) continue;
    yield `[${part.join(',')}]`;
    part = [];
    characters = 0;
  }
  if (part.length > 0) yield `[${part.join(',')}]`;
}

/** Compresses a part in a thread of the runtime. */
export const packPart = (part: string): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    gzip(part, { level: LEVEL }, (error, packed) => (error ? reject(error) : resolve(packed)));
  });

/** Throws a SyntaxError or a ZodError for what {@link packPart} has not made. */
export const unpackPart = (packed: Uint8Array): CountRecord[] => CountRecord.array().parse(JSON.parse(unzip(packed)));

function unzip(packed: Uint8Array): string {
  try {
    return gunzipSync(packed, { maxOutputLength: PART_MAX_BYTES }).toString('utf8');
  } catch {
    throw new SyntaxError('this is not compressed, or it is cut');
  }
}
