/**
 * Word lists for the comparison of texts. English is covered in depth. Other languages are covered only where an error
 * would be dangerous (negation), or where one word fills most short texts (particles).
 */
const list = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

/** Words without a meaning of their own. Never add negation, numbers or order words here. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  list(`
  a an the this that these those it its they them their there here you your we our i he she his her my me
  is are was were be been being am do does did done have has had having will would shall should can could may might must
  of in on at by for with as and or if when while whenever where which who whose what how why so such than also too
  very just only any all each every some same via per about out to from into onto over under again please
  need needs ensure make sure try always get got
  ne n le la les un une des du de et est il elle on der die das ein eine und ist im den dem zu el los las una y es en
  o os as um uma e em il lo gli di che
  的 了 在 时 時 当 當 请 請 和 与 是 把 将 就 要 应 应该 该
  を が は に で て と の も し す する した して なる です ます くだ さい ください とき 時 場合 さ れ い た
  `),
);

/** Each of these negates the rest of its clause. */
export const NEGATIONS: ReadonlySet<string> = new Set(
  list(`
  not no never nobody nothing without avoid avoids avoiding neither nor none cannot skip skips skipping refuse forbid forbidden prohibit
  prohibited unless refrain
  nicht kein keine keinen keinem nie niemals ohne pas jamais sans aucun aucune nunca jamás sin não sem non mai senza
  не нет без никогда нельзя niet geen nooit zonder nie bez không đừng değil olmadan
  不 不要 不可 不能 不准 不得 别 別 勿 请勿 切勿 禁止 没 没有 沒有 未 避免 无需 不会 不用
  لا لم لن بدون मत नहीं ห้าม อย่า ไม่ 안 못
  `),
);

/** After another negation, these cancel it: "never run without a backup" asks for the backup. */
export const CANCELLING: ReadonlySet<string> = new Set(
  list('without unless avoid skip refuse refrain forbid ohne zonder sans sin sem senza без bez'),
);

/** Chinese writes the negation into the word: the segmenter may return 不重启 as one piece. */
export const NEGATIVE_PREFIXES: readonly string[] = [
  '不要',
  '请勿',
  '切勿',
  '禁止',
  '不',
  '别',
  '別',
  '勿',
  '未',
  '没',
];

/** Japanese and Korean negate after the verb, so that the whole clause is negated. */
export const TRAILING_NEGATION = /(?:ない|ません|ずに|禁止|な(?:$|[。！])|지\s?마|지\s?말|지\s?않|금지|없이)/u;

/** Verbs so general that they do not say what is asked for or forbidden. */
export const LIGHT_VERBS: ReadonlySet<string> = new Set(['use', 'go', 'let', 'first', 'instead']);

/** Groups of synonyms in instructions; the first word is the name of the group. */
export const SYNONYMS: readonly (readonly string[])[] = [
  list('use using used run running call invoke execute apply prefer choose pick employ utilize utilise'),
  list('restart reboot relaunch bounce'),
  list('service server daemon process'),
  list('delete remove drop erase wipe purge'),
  list('retry rerun repeat reattempt'),
  list('fail failure failing error break crash exception broken fault'),
  list('check verify confirm validate inspect ascertain'),
  list('create generate regenerate recreate produce'),
  list('wait pause sleep'),
  list('fix repair resolve correct'),
  list('increase raise bump grow extend'),
  list('decrease lower reduce shrink cut'),
  list('folder directory dir'),
  list('file document'),
  list('before prior ahead'),
  list('after afterwards following once'),
  list('find search locate look'),
  list('start begin launch boot'),
  list('stop halt terminate kill shutdown'),
  list('config configuration setting configure'),
  list('change modify edit update alter adjust'),
  list('deploy deployment release rollout ship'),
  list('database db'),
  list('dependency package library module'),
  list('log logs logging'),
  list('timeout'),
  list('repository repo'),
  list('test tests testing'),
  list('command cmd'),
  list('build compile compilation'),
  list('revert rollback undo'),
  list('ask request query'),
  list('fast quick rapid quickly'),
  list('install installation'),
  list('environment env'),
  list('read open view'),
  list('time attempt times'),
  list('second sec seconds s'),
  list('minute min minutes'),
];

/** Pairs that contradict each other, written as the group names of {@link SYNONYMS}. */
export const ANTONYMS: readonly (readonly [string, string])[] = [
  ['before', 'after'],
  ['increase', 'decrease'],
  ['start', 'stop'],
  ['restart', 'stop'],
  ['create', 'delete'],
  ['add', 'delete'],
  ['keep', 'delete'],
  ['enable', 'disable'],
  ['allow', 'deny'],
  ['allow', 'block'],
  ['accept', 'reject'],
  ['install', 'uninstall'],
  ['include', 'exclude'],
  ['lock', 'unlock'],
  ['open', 'close'],
  ['read', 'write'],
  ['upgrade', 'downgrade'],
  ['push', 'pull'],
  ['first', 'last'],
  ['more', 'less'],
  ['more', 'fewer'],
  ['true', 'false'],
  ['relative', 'absolute'],
  ['sync', 'async'],
  ['encrypt', 'decrypt'],
  ['public', 'private'],
  ['merge', 'split'],
  ['local', 'remote'],
  ['up', 'down'],
];

export const NUMBER_WORDS: ReadonlyMap<string, string> = new Map(
  list('zero one two three four five six seven eight nine ten eleven twelve').map((word, n) => [word, String(n)]),
);
