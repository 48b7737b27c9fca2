/** A word that says why, what failed, an exception or a choice: what no file and no command says. */
const REASON =
  /\b(?:because|since|so that|instead of|rather than|why|reasons?|decided|agreed|prefers?|wants?|not|never|no|only|unless|except|until|without|avoid|must|always|before|after|fails?|failed|breaks?|broken|wrong|bug|flaky|slow|hangs?|careful|beware|although|despite|but|however|first|hidden|secret|undocumented|legacy|deprecated|temporary|workaround|needs?|needed)\b|n['’]t\b/iu;

/** Longer texts say more than one thing. In UTF-16 code units. */
const LONGEST = 160;

const FILE =
  '`?(?:(?:[\\w@.-]{1,60}/){0,6}(?:package(?:-lock)?\\.json|pyproject\\.toml|requirements\\.txt|cargo\\.toml|go\\.mod|pom\\.xml|build\\.gradle|gemfile|composer\\.json|makefile|dockerfile|docker-compose\\.ya?ml|compose\\.ya?ml|tsconfig\\.json|readme(?:\\.md)?|agents\\.md|claude\\.md|contributing\\.md|changelog\\.md|\\.gitignore|\\.env\\.example|\\.editorconfig|\\.nvmrc|\\.tool-versions))`?';
const SUBJECT =
  '(?:(?:this|the|our|my)\\s)?(?:current\\s)?(?:project|repo(?:sitory)?|code ?base|code|app(?:lication)?|package|monorepo|workspace)';
/** Names of languages, frameworks and tools that a manifest or the endings of files show. */
const TECHNOLOGY =
  '(?:typescript|javascript|python|go(?:lang)?|rust|java|kotlin|ruby|php|c#|c\\+\\+|swift|scala|elixir|react|vue|angular|svelte|next(?:\\.js)?|nestjs|express|django|flask|fastapi|rails|spring(?: boot)?|laravel|jest|vitest|pytest|mocha|prisma|webpack|vite|eslint|prettier|biome|npm|pnpm|yarn|poetry|uv|cargo|maven|gradle|docker|git)';
const LIST = `${TECHNOLOGY}(?:\\s\\d[\\w.]{0,10})?(?:(?:,\\s|\\sand\\s|,\\sand\\s|\\s\\+\\s|/|\\swith\\s)${TECHNOLOGY}(?:\\s\\d[\\w.]{0,10})?){0,5}`;
const TOOL = '(?:npm|pnpm|yarn|bun|make|cargo|go|mvn|gradle|poetry|uv|pip)';
const SCRIPT = '(?:tests?|builds?|lint(?:er)?|start|dev|format|check|install)';

interface Rule {
  readonly pattern: RegExp;
  readonly reason: string;
}

const whole = (source: string, reason: string): Rule => ({
  pattern: new RegExp(`^(?:note:\\s|fyi:?\\s)?${source}[.!]?$`, 'iu'),
  reason,
});

/** What an agent reads at once where it works. Each rule is about the whole text, so that a text with more in it passes. */
const RULES: readonly Rule[] = [
  {
    pattern: new RegExp(
      `^(?:according to|as (?:stated|described|documented|listed|defined|shown) in|see|read)\\s(?:the\\s)?${FILE}|\\b(?:is|are)\\s(?:defined|declared|documented|described|listed|specified|configured|set)\\sin\\s(?:the\\s)?${FILE}[.!]?$`,
      'iu',
    ),
    reason: 'the file that it names says it',
  },
  {
    pattern: new RegExp(`^(?:the\\s)?${FILE}\\s(?:says|has|contains|lists|defines|declares|shows|describes)\\s`, 'iu'),
    reason: 'the file that it names says it',
  },
  whole(
    `${SUBJECT}\\s(?:is\\s(?:written|built|implemented|developed)\\s(?:in|with|using|on)|uses|is\\sa|is\\san|runs\\son|is\\sbased\\son|depends\\son)\\s(?:the\\s)?${LIST}(?:\\s(?:project|app(?:lication)?|repo(?:sitory)?|package|monorepo|library|service|code ?base))?(?:\\sfor\\s(?:the\\s)?(?:tests?|testing|builds?|building|linting|formatting|packages|dependencies))?`,
    'its manifests and the endings of its files say it',
  ),
  whole(
    `(?:the\\s)?(?:(?:current|installed|default)\\s)?(?:node(?:\\.js)?|npm|pnpm|python|java|go|rust|ruby|git|docker|os|operating system|shell|kernel|platform|architecture|working directory|cwd|home directory|hostname|user ?name|branch|git branch|remote|origin)(?:\\sversion)?(?:\\sis|\\s?=|\\s?:)\\s?\\S{1,80}(?:\\s\\d[\\w.]{0,10})?`,
    'one command prints it',
  ),
  whole(
    `(?:(?:to\\s)?(?:run|execute|start)?\\s?(?:the\\s)?${SCRIPT}:?\\s(?:run|use|with|is|are run with)\\s\`?${TOOL}(?:\\srun)?\\s${SCRIPT}\`?|(?:run|use)\\s\`?${TOOL}(?:\\srun)?\\s${SCRIPT}\`?\\s(?:to|for)\\s(?:run(?:ning)?\\s|execut(?:e|ing)\\s)?(?:the\\s)?(?:${SCRIPT}|testing|building|linting|dependencies|install(?:ing)? (?:the )?dependencies|the (?:app|project|server|package|code))(?:\\s(?:the\\s)?(?:app|project|server|package|code|dependencies))?)`,
    'the name of the script says it',
  ),
  whole(
    `(?:the\\s|all\\s|our\\s)?(?:(?:unit\\s)?tests?\\s(?:are|live|is)\\s(?:located\\s|stored\\s|found\\s)?(?:in|under|inside)\\s(?:the\\s)?\`?\\.?/?(?:tests?|spec|__tests__)/?\`?|(?:source|code|source code|sources)\\s(?:is|are|lives?)\\s(?:located\\s|stored\\s|found\\s)?(?:in|under|inside)\\s(?:the\\s)?\`?\\.?/?(?:src|lib|app)/?\`?|(?:docs|documentation)\\s(?:is|are|lives?)\\s(?:located\\s|stored\\s|found\\s)?(?:in|under|inside)\\s(?:the\\s)?\`?\\.?/?docs?/?\`?)(?:\\s(?:folder|directory))?`,
    'the name of the folder says it',
  ),
];

/**
 * Why an agent could read this in its repository or its environment, so that it costs tokens and tells nothing; undefined
 * if it may be worth keeping. A text with a reason, an exception, a failure or a choice always may. Linear in the text.
 */
export function inferableFrom(text: string): string | undefined {
  const line = text.trim().replace(/\s+/g, ' ');
  if (line.length > LONGEST || REASON.test(line)) return undefined;
  return RULES.find(({ pattern }) => pattern.test(line))?.reason;
}
