import { familyOf } from '../../capture/actions/program.js';
import type { ModelWords, WordingFailure } from '../../propose/model/model-words.schema.js';
import { textsOf } from '../../propose/model/presentable.js';
import { polarityOf } from '../claims/claim-polarity.js';
import { contradicts, rulesOut } from '../claims/supersession.js';
import { NUMBER_WORDS } from '../claims/wordlists.js';
import type { DraftEvidence } from '../drafts/draft.js';
import { plainAction, plainErrorClass, plainTemplate } from '../drafts/plain-text.js';
import type { DraftText } from '../drafts/wording.js';

/** A word of a sentence; whatever else there is between blanks is a name, a flag, a file, a number, an operator. */
const PLAIN_WORD = /^[A-Za-z]{1,40}(?:['-][A-Za-z]{1,40}){0,4}$/;
const ABBREVIATIONS = new Set(['e.g', 'i.e', 'etc', 'vs']);
const CODE = /`([^`]{0,600})`/g;
const AROUND = /^[.,;:!?"'()`]{1,20}|[.,;:!?"'()`]{1,20}$/g;

/** Programs whose names are no words of a sentence, besides those that {@link familyOf} knows. */
const PROGRAMS = new Set(
  (
    'bash zsh sudo doas su curl wget ssh scp rsync git docker kubectl helm terraform ansible rm mv cp chmod chown dd mkfs ' +
    'nohup crontab systemctl powershell cmd pwsh sed awk grep perl php xargs tee openssl gpg aws gcloud heroku eval'
  ).split(' '),
);

/** What "run" and its like take in a sentence that names nothing. */
const WORDS_AFTER_RUN = new Set(
  (
    'the a an it its this that these those them again with without first instead on from in into as at to of for before ' +
    'after when where only once and or but by all any another each either both what whatever which unchanged ' +
    'command commands step steps test tests check checks tool tools program programs script scripts rest same other ' +
    'directly next there here successfully yourself is was are were has had fails failed does did'
  ).split(' '),
);
const RUNNING =
  /\b(?:run|runs|rerun|execute|invoke|call|calls|type|install|installs|launch|start)\s{1,9}(?!`)([^\s`]{1,60})/gi;

/** What no evidence shows: there are counts behind a text, and no promise. */
const PROMISE =
  /\b(?:always|never|guarantee[ds]?|verified|approved|certified|official|officially|proven|certain|certainly|safe|safely|secure|harmless|mandatory|recommended|trusted)\b/i;
/** What does harm where nobody did it: as advice it has to be in the lesson. By the beginnings of the words. */
const HARMFUL_ACTS =
  /^(?:delet|remov|uninstall|disabl|overwrit|bypass|kill|eras|wip(?:e|ing)|purg|upload|download|forc(?:e|ing)|reset|grant|expos|ignor|skip|upgrad|downgrad|password|credential|secret)/;
const AMOUNT = /\b(?:twice|half|double|triple|dozens?|hundreds?|thousands?|millions?|percent)\b/i;

/**
 * Why the words of a model may not stand for this draft: a number, a name or a command that the evidence does not hold, a
 * promise, the opposite of the action, or another subject. Counts are no ground for a number: they go on while the words
 * stay, and the rules write them behind. Fails closed: what it takes for a command without being one costs the wording only.
 */
export function groundingProblem(
  words: ModelWords,
  draft: { readonly text: DraftText; readonly evidence: DraftEvidence },
): WordingFailure | undefined {
  const texts = textsOf(words);
  const grounds = new GroundingTexts(groundingTextsOf(draft));
  if (texts.some((text) => PROMISE.test(text))) return 'claim';
  if (texts.some((text) => !grounds.supportsNumbersIn(text))) return 'unfounded_number';
  if (texts.some((text) => !grounds.supportsCommandsIn(text) || !grounds.supportsActsIn(text)))
    return 'unfounded_command';
  if (texts.some((text) => !grounds.supportsNamesIn(text))) return 'unfounded_name';
  if (contradictsAction(words, draft.text)) return 'contradiction';
  return isOnTopic(words, draft.text) ? undefined : 'off_topic';
}

/** What names things: the lesson without its figures, and what failed and was tried. */
function groundingTextsOf({ text, evidence }: { text: DraftText; evidence: DraftEvidence }): string[] {
  const { title, discovery, condition, action, steps } = text;
  const tried = evidence.alternatives.flatMap((one) =>
    one.action.split(' > ').flatMap((step) => plainAction(step) ?? []),
  );
  return [
    ...[title, discovery, condition, action, ...steps, ...tried, evidence.tool, evidence.project ?? ''],
    ...[plainAction(evidence.failingAction) ?? '', plainTemplate(evidence.template)],
    ...evidence.errorClasses.map(plainErrorClass),
    // "Leave it out" may be said so.
    ...(/\b(?:out|without)\b/.test(action) ? ['remove'] : []),
  ];
}

/** The texts that words may be founded on. */
class GroundingTexts {
  private readonly whole: string;
  private readonly tokens: ReadonlySet<string>;

  constructor(texts: readonly string[]) {
    this.whole = ` ${texts.map(plainSpaces).join(' \n ')} `;
    this.tokens = new Set(texts.flatMap(tokensOf));
  }

  supportsNumbersIn(text: string): boolean {
    const digits = text.match(/\d+/g) ?? [];
    const known = new Set(this.whole.match(/\d+/g) ?? []);
    const spelled = tokensOf(text).filter((word) => word !== 'one' && NUMBER_WORDS.has(word));
    return (
      digits.every((number) => known.has(number)) &&
      spelled.every((word) => this.tokens.has(word) || known.has(NUMBER_WORDS.get(word) ?? '')) &&
      !AMOUNT.test(text)
    );
  }

  /** Between backticks: as it stands in the lesson, from one word to another. Outside: no program that is not in it. */
  supportsCommandsIn(text: string): boolean {
    const codes = [...text.matchAll(CODE)].map(([, code = '']) => plainSpaces(code));
    const prose = text.replace(CODE, ' `code` ');
    const run = [...prose.matchAll(RUNNING)].map(([, word = '']) => bare(word));
    return (
      !prose.replaceAll('`code`', '').includes('`') &&
      codes.every((code) => code !== '' && this.supportsWords(code)) &&
      tokensOf(prose).every((word) => !isProgram(word) || this.tokens.has(word)) &&
      run.every((word) => word === '' || WORDS_AFTER_RUN.has(word) || this.tokens.has(word))
    );
  }

  supportsActsIn(text: string): boolean {
    return tokensOf(text)
      .flatMap((word) => HARMFUL_ACTS.exec(word)?.[0] ?? [])
      .every((act) => [...this.tokens].some((known) => known.startsWith(act)));
  }

  /** A flag, a file, a version or an operator is in it. */
  supportsNamesIn(text: string): boolean {
    return tokensOf(text.replace(CODE, ' ')).every(
      (token) => PLAIN_WORD.test(token) || ABBREVIATIONS.has(token) || /^-{1,2}$/.test(token) || this.tokens.has(token),
    );
  }

  /** From one text, and no half words of it. */
  private supportsWords(code: string): boolean {
    for (let at = this.whole.indexOf(code); at >= 0; at = this.whole.indexOf(code, at + 1)) {
      const [before = ' ', after = ' '] = [this.whole[at - 1], this.whole[at + code.length]];
      if (!/[A-Za-z0-9_-]/.test(before) && !/[A-Za-z0-9_-]/.test(after)) return true;
    }
    return false;
  }
}

const plainSpaces = (text: string): string => text.replaceAll('`', ' ').replace(/\s+/g, ' ').trim();
const bare = (word: string): string => word.replace(AROUND, '').replace(/'s$/, '').toLowerCase();
const tokensOf = (text: string): string[] =>
  text
    .split(/\s+/)
    .map(bare)
    .filter((word) => word !== '');

function isProgram(word: string): boolean {
  return PROGRAMS.has(word) || familyOf(word) !== word;
}

/** "Prefer x to y" rules out y as "x instead of y" does. */
const PREFERENCE = /\b(prefer(?:s|red|ring)?\b[^.,;:]{1,60}?)\s(?:to|over)\s/gi;
const polarityOfText = (text: string) => polarityOf(text.replace(PREFERENCE, '$1 instead of '));

/**
 * No text rules out what the action asks for. A title that does not name what the action chooses is compared as a whole:
 * alone, what the action is against would be its advice. Where the rules' own title does not pass, the comparison cannot
 * tell.
 */
function contradictsAction({ title, discovery, why, notes }: ModelWords, text: DraftText): boolean {
  const [asked, titled] = [polarityOf(text.action), polarityOfText(title)];
  const namesChoice = asked.choices.some(({ chosen }) => chosen.some((word) => titled.asserted.has(word)));
  const canTell = !namesChoice && !contradicts(polarityOfText(text.title), asked);
  if (canTell && contradicts(titled, asked)) return true;
  return [title, discovery, why, ...notes].some((text) => rulesOut(polarityOfText(text), asked));
}

/** Of a lesson that names nothing by its code: words that it shares with what the rules say in the same place. */
const MIN_SHARED_WORDS = { title: 1, discovery: 3 } as const;

/** What the lesson names by its code is in the title, and in what an agent chooses by, where the rules have it there. */
function isOnTopic(words: ModelWords, text: DraftText): boolean {
  const { condition, action } = text;
  const named = new Set(
    [condition, action].flatMap((text) => [...text.matchAll(CODE)].flatMap(([, code = '']) => tokensOf(code))),
  );
  const names = (text: string): boolean => tokensOf(plainSpaces(text)).some((word) => named.has(word));
  return (['title', 'discovery'] as const).every((place) => {
    if (names(text[place])) return names(words[place]);
    const known = polarityOf(`${text[place]} ${condition} ${action}`).words;
    const said = polarityOf(words[place]).words;
    return [...said].filter((word) => known.has(word)).length >= MIN_SHARED_WORDS[place];
  });
}
