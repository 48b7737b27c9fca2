import { Lesson } from '../memory/store/lesson.schema.js';
import { DAY_MS } from '../platform/base/durations.js';

export interface ReplacedDate {
  readonly from: string;
  readonly to: string;
}

export interface DatedText {
  readonly text: string;
  readonly replaced: readonly ReplacedDate[];
}

const NUMBERS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
};
const COUNT = `\\d{1,3}|${Object.keys(NUMBERS).join('|')}`;
/** Words after which a date needs no "on". */
const BEFORE = '(?:(since|from|until|till|by|of|before|after|on|in|for|as of)[ ])?';
const DATES = new RegExp(
  `(?<![\\w-])${BEFORE}(?:(today|yesterday|tomorrow)|(${COUNT})[ ](day|week|month|year)s?[ ]ago|(last|this|next)[ ](week|month|year))(?![\\w-])`,
  'gi',
);
/** Calls and quotations stay as they are: `git log --since=yesterday` is a command, and an error is quoted. */
const QUOTED = /`[^`]{0,4000}`|"[^"]{0,4000}"/g;
const DAY_OFFSETS: Readonly<Record<string, number>> = { today: 0, yesterday: -1, tomorrow: 1 };
const OFFSETS: Readonly<Record<string, number>> = { last: -1, this: 0, next: 1 };

/** Makes relative dates absolute, as of the day on which the text was written (UTC). */
export function withAbsoluteDates(text: string, writtenAt: Date): DatedText {
  const replaced: ReplacedDate[] = [];
  let at = 0;
  let result = '';
  for (const quotation of text.matchAll(QUOTED)) {
    result += datedProse(text.slice(at, quotation.index), writtenAt, replaced) + quotation[0];
    at = quotation.index + quotation[0].length;
  }
  return { text: result + datedProse(text.slice(at), writtenAt, replaced), replaced };
}

function datedProse(prose: string, writtenAt: Date, replaced: ReplacedDate[]): string {
  return prose.replace(
    DATES,
    (found, before?: string, day?: string, count?: string, ago?: string, which?: string, unit?: string) => {
      const [preposition, date] = day
        ? ['on', isoDay(addDays(writtenAt, DAY_OFFSETS[day.toLowerCase()] ?? 0))]
        : ago
          ? periodOf(writtenAt, ago.toLowerCase(), -numberOf(count ?? '1'), true)
          : periodOf(writtenAt, (unit ?? 'week').toLowerCase(), OFFSETS[(which ?? 'this').toLowerCase()] ?? 0, false);
      const to = `${before ?? (isUpper(found) ? capital(preposition) : preposition)} ${date}`;
      replaced.push({ from: found, to });
      return to;
    },
  );
}

/** The preposition and the period that lies `offset` units away: a day, the week of a Monday, a month or a year. */
function periodOf(at: Date, unit: string, offset: number, isExact: boolean): readonly [string, string] {
  if (unit === 'day') return ['on', isoDay(addDays(at, offset))];
  if (unit === 'week') {
    const day = addDays(at, 7 * offset);
    return ['in', `the week of ${isoDay(addDays(day, -((day.getUTCDay() + 6) % 7)))}`];
  }
  const months = at.getUTCFullYear() * 12 + at.getUTCMonth() + offset * (unit === 'year' ? 12 : 1);
  const year = String(Math.floor(months / 12)).padStart(4, '0');
  if (unit === 'year' && !isExact) return ['in', year];
  return ['in', `${year}-${String((months % 12) + 1).padStart(2, '0')}`];
}

const numberOf = (text: string): number => NUMBERS[text.toLowerCase()] ?? Number(text);
const addDays = (at: Date, days: number): Date => new Date(at.getTime() + days * DAY_MS);
const isoDay = (at: Date): string => at.toISOString().slice(0, 10);
const isUpper = (text: string): boolean => /^\p{Lu}/u.test(text);
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export interface DatedLesson {
  readonly lesson: Lesson;
  readonly replaced: readonly ReplacedDate[];
}

/** The lesson with absolute dates in its sentences. It stays as it is if a sentence would become too long. */
export function datedLesson(lesson: Lesson, writtenAt: Date): DatedLesson {
  const replaced: ReplacedDate[] = [];
  const dated = (text: string): string => {
    const { text: absolute, replaced: here } = withAbsoluteDates(text, writtenAt);
    replaced.push(...here);
    return absolute;
  };
  const { condition, action, rationale } = lesson.activation;
  const result: Lesson = {
    ...lesson,
    discovery: dated(lesson.discovery),
    activation: { condition: dated(condition), action: dated(action), rationale: dated(rationale) },
    steps: lesson.steps.map(dated),
    ...(lesson.cause === undefined ? {} : { cause: dated(lesson.cause) }),
  };
  return replaced.length > 0 && Lesson.safeParse(result).success
    ? { lesson: result, replaced }
    : { lesson, replaced: [] };
}
