import { familyOf } from '../../capture/actions/program.js';
import type { ObservedCalls } from '../../evidence/calls/lesson-parts.schema.js';
import { unobservedCommands } from '../../evidence/calls/observed-spans.js';
import type { ModelWords, WordingFailure } from '../../propose/model/model-words.schema.js';
import { textsOf } from '../../propose/model/presentable.js';
import { polarityOf } from '../claims/claim-polarity.js';
import { contradicts, rulesOut } from '../claims/supersession.js';
import { NUMBER_WORDS } from '../claims/wordlists.js';
import { presentableError } from '../dossiers/presentable-call.js';
import type { DraftEvidence } from '../drafts/draft.js';
import { plainErrorClass } from '../drafts/plain-text.js';
import type { DraftText } from '../drafts/wording.js';

/** A word of a sentence. Every other token is a name, a flag, a file, a number or an operator. */
const PLAIN_WORD = /^[A-Za-z]{1,40}(?:['-][A-Za-z]{1,40}){0,4}$/;
const ABBREVIATIONS = new Set(['e.g', 'i.e', 'etc', 'vs']);
const CODE = /`([^`]{0,600})`/g;
const AROUND = /^[.,;:!?"'()`]{1,20}|[.,;:!?"'()`]{1,20}$/g;

/** Programs whose names are no English words, besides those that {@link familyOf} knows. */
const PROGRAMS = new Set(
  (
    'bash zsh sudo doas su curl wget ssh scp rsync git docker kubectl helm terraform ansible rm mv cp chmod chown dd mkfs ' +
    'nohup crontab systemctl powershell cmd pwsh sed awk grep perl php xargs tee openssl gpg aws gcloud heroku eval'
  ).split(' '),
);

/** What may follow "run" and similar verbs in a sentence that names no command. */
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

/** Promises, which no evidence supports: the evidence consists of counts. */
const PROMISE =
  /\b(?:always|never|guarantee[ds]?|verified|approved|certified|official|officially|proven|certain|certainly|safe|safely|secure|harmless|mandatory|recommended|trusted)\b/i;
/** Acts that may do harm; as advice they must be in the lesson. By the beginnings of the words. */
const HARMFUL_ACTS =
  /^(?:delet|remov|uninstall|disabl|overwrit|bypass|kill|eras|wip(?:e|ing)|purg|upload|download|forc(?:e|ing)|reset|grant|expos|ignor|skip|upgrad|downgrad|password|credential|secret)/;
const AMOUNT = /\b(?:twice|half|double|triple|dozens?|hundreds?|thousands?|millions?|percent)\b/i;

/**
 * Returns why the words of a model are rejected for a draft: a number, a name or a command that is not in the evidence,
 * a promise, the opposite of the action, or another subject. Counts do not support a number, since they change while
 * the words stay; the rules append them. Fails closed: a false alarm only costs the wording.
 */
export function groundingProblem(
  words: ModelWords,
  draft: { readonly text: DraftText; readonly evidence: DraftEvidence; readonly calls: ObservedCalls },
): WordingFailure | undefined {
  const texts = textsOf(words);
  const grounds = new GroundingTexts(groundingTextsOf(draft));
  if (texts.some((text) => PROMISE.test(text))) return 'claim';
  if (texts.some((text) => !grounds.supportsNumbersIn(text))) return 'unfounded_number';
  if (texts.some((text) => !grounds.supportsCommandsIn(text) || !grounds.supportsActsIn(text)))
    return 'unfounded_command';
  if (texts.some((text) => unobservedCommands(text, draft.calls, 'not asked for').length > 0))
    return 'unfounded_command';
  if (/[<>]/.test(words.discovery)) return 'unfounded_name';
  if (texts.some((text) => !grounds.supportsNamesIn(text))) return 'unfounded_name';
  if (contradictsAction(words, draft.text)) return 'contradiction';
  return isOnTopic(words, draft.text) ? undefined : 'off_topic';
}

/** Returns the texts that name things: the lesson without its figures, the failure, and the alternatives. */
function groundingTextsOf({ text, evidence }: { text: DraftText; evidence: DraftEvidence }): string[] {
  const { title, discovery, condition, action, steps } = text;
  const named = [evidence.failingAction, evidence.template, ...evidence.alternatives.map((one) => one.action)];
  return [
    ...[title, discovery, condition, action, ...steps, evidence.tool],
    ...named.map(presentableError),
    ...evidence.errorClasses.map(plainErrorClass),
    // "Leave it out" may be called "remove".
    ...(/\b(?:out|without)\b/.test(action) ? ['remove'] : []),
  ];
}

/** The texts that support a model's words. */
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

  /**
   * Code between backticks must be in one of the texts, as whole words. Outside of backticks, a program must be in
   * them.
   */
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

  /** A flag, a file, a version or an operator must be in the texts. */
  supportsNamesIn(text: string): boolean {
    return tokensOf(text.replace(CODE, ' ')).every(
      (token) => PLAIN_WORD.test(token) || ABBREVIATIONS.has(token) || /^-{1,2}$/.test(token) || this.tokens.has(token),
    );
  }

  /** Finds the code in one text, as whole words. */
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

/** "Prefer x to y" rules out y, as "x instead of y" does. */
const PREFERENCE = /\b(prefer(?:s|red|ring)?\b[^.,;:]{1,60}?)\s(?:to|over)\s/gi;
/** "Remove x from the command" rules out x, as "without x" does. */
const REMOVAL = /\b(?:remov(?:e|ing)|drop(?:ping)?|omit(?:ting)?)\b/gi;
const polarityOfText = (text: string) =>
  polarityOf(text.replace(PREFERENCE, '$1 instead of ').replace(REMOVAL, 'do it without'));

/**
 * Returns whether a text rules out what the action asks for. A title that does not name the chosen thing is compared as
 * a whole, since it could advise what the action rules out. If the rules' own title fails this comparison, it is
 * skipped.
 */
function contradictsAction({ title, discovery, why, notes }: ModelWords, text: DraftText): boolean {
  const [actionPolarity, titlePolarity] = [polarityOf(text.action), polarityOfText(title)];
  const namesChoice = actionPolarity.choices.some(({ chosen }) =>
    chosen.some((word) => titlePolarity.asserted.has(word)),
  );
  const canTell = !namesChoice && !contradicts(polarityOfText(text.title), actionPolarity);
  if (canTell && contradicts(titlePolarity, actionPolarity)) return true;
  return [title, discovery, why, ...notes].some((text) => rulesOut(polarityOfText(text), actionPolarity));
}

/** For a lesson that names nothing in code: how many words must be shared with the rules' text in the same place. */
const MIN_SHARED_WORDS = { title: 1, discovery: 3 } as const;

/** Returns whether title and discovery name what the lesson names in code, wherever the rules' texts do so. */
function isOnTopic(words: ModelWords, text: DraftText): boolean {
  const { condition, action } = text;
  const named = new Set(
    [condition, action].flatMap((text) => [...text.matchAll(CODE)].flatMap(([, code = '']) => tokensOf(code))),
  );
  const names = (text: string): boolean => tokensOf(plainSpaces(text)).some((word) => named.has(word));
  return (['title', 'discovery'] as const).every((place) => {
    if (names(text[place])) return names(words[place]);
    const known = polarityOf(`${text[place]} ${condition} ${action}`).words;
    const used = polarityOf(words[place]).words;
    return [...used].filter((word) => known.has(word)).length >= MIN_SHARED_WORDS[place];
  });
}
