const LONGEST_STATEMENT = 2_000;
const VERBS: ReadonlySet<string> = new Set(
  `select insert update delete create drop alter show desc describe explain pragma with use replace truncate call grant
   revoke merge`.split(/\s+/),
);
/** English words as well: a statement goes on with a name, a star, a number or a bracket. */
const ORDINARY = /^(?:use|with|call|replace|merge|show|update|create|drop|grant|select|explain)$/;
const GOES_ON = /^[a-z_*'(`"@\d-]/;
/** Tables of the schema. */
const SCHEMA_TABLE =
  /\b(?:from|join|table|update|into)\s{1,20}[`"]?(?:\w{1,60}\.)?(?:information_schema|sqlite_master|sqlite_schema|pg_catalog|pg_tables)\b/;

/** What a SQL statement does: `select`, `insert`, `show tables`, `desc`; undefined if the text does not start like one. */
export function sqlVerb(text: string): string | undefined {
  const statement = text.slice(0, LONGEST_STATEMENT).toLowerCase();
  const [, first = '', second = ''] = /^\s{0,100}([a-z]{2,20})\s{1,100}([a-z]{1,20}|\S)/.exec(statement) ?? [];
  if (!VERBS.has(first) || (ORDINARY.test(first) && !GOES_ON.test(second))) return undefined;
  if (first === 'with') return 'select';
  if (first === 'describe') return 'desc';
  if (SCHEMA_TABLE.test(statement)) return 'show tables';
  return /^(?:show|create|drop|alter)$/.test(first) && /^[a-z]/.test(second) ? `${first} ${second}` : first;
}
