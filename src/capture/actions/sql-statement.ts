/** What a SQL statement does and names, without its literals. */
export interface SqlStatement {
  /** `select`, `insert`, `show tables`, `desc` … */
  readonly verb: string;
  /** In lower case, sorted, as written: `shop.orders`. */
  readonly tables: readonly string[];
}

const MAX_LENGTH = 2_000;
const MOST_TABLES = 10;
const VERBS: ReadonlySet<string> = new Set(
  `select insert update delete create drop alter show desc describe explain pragma with use replace truncate call grant
   revoke merge`.split(/\s+/),
);
/** Tables of the schema. */
const SCHEMA_TABLE = /(?:^|\.)(?:information_schema|sqlite_master|sqlite_schema|pg_catalog|pg_tables)\b/;
/** The word after one of these names a table. */
const BEFORE_TABLE: ReadonlySet<string> = new Set('from join into update table desc describe truncate'.split(' '));
const KEYWORDS: ReadonlySet<string> = new Set(
  `${[...VERBS].join(' ')} join group order having limit distinct union where cast like in between case over from into values set table tables columns databases database schema view index as on
   and or not null is by asc desc inner outer left right full cross natural using all any exists when then else end true
   false if primary key foreign references default offset count sum avg min max round concat coalesce int integer varchar
   char text real float double decimal numeric date datetime timestamp boolean interval unsigned`.split(/\s+/),
);
/** A quoted literal, a name (perhaps in backticks or double quotes, with a dot), or one character. */
const TOKEN =
  /'[^']{0,1000}'?|(?:`[^`]{1,80}`|"[^"]{1,80}"|[A-Za-z_][\w$]{0,80})(?:\.(?:`[^`]{1,80}`|"[^"]{1,80}"|[A-Za-z_*][\w$]{0,80})){0,3}|\S/g;
const NAME = /^[`"]?[A-Za-z_]/;

/** Reads one SQL statement; undefined if the text does not start like one. Linear in the text; never throws. */
export function readSql(text: string): SqlStatement | undefined {
  const tokens = text.slice(0, MAX_LENGTH).match(TOKEN) ?? [];
  const words = tokens.map((token) => (token.startsWith("'") ? "'" : token.replace(/[`"]/g, '').toLowerCase()));
  const first = words[0] ?? '';
  if (!VERBS.has(first) || words.length < 2) return undefined;
  const second = words[1] ?? '';
  if (
    /^(?:use|with|call|replace|merge|show|update|create|drop|grant|select|explain)$/.test(first) &&
    !/^[a-z_*'(`"@\d-]/.test(second)
  )
    return undefined;
  const tables = new Set<string>();
  let isList = false;
  words.forEach((word, at) => {
    const before = words[at - 1] ?? '';
    if (!NAME.test(word)) return;
    const isFirst = at === 1 && BEFORE_TABLE.has(first);
    const isNext = BEFORE_TABLE.has(before) && !(before === 'desc' && at > 1);
    if (!KEYWORDS.has(word) && (isFirst || isNext || (isList && before === ','))) {
      tables.add(word);
      isList = before === 'from' || before === ',';
    } else if (KEYWORDS.has(word)) isList = false;
  });
  return { verb: verbOf(first, second, tables), tables: [...tables].sort().slice(0, MOST_TABLES) };
}

function verbOf(first: string, second: string, tables: ReadonlySet<string>): string {
  if (first === 'with') return 'select';
  if (first === 'describe') return 'desc';
  if ([...tables].some((table) => SCHEMA_TABLE.test(table))) return 'show tables';
  return ['show', 'create', 'drop', 'alter'].includes(first) && /^[a-z]{1,20}$/.test(second)
    ? `${first} ${second}`
    : first;
}
