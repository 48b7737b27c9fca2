import { isShellTool } from '../../untrusted/shell/shell-tool.js';
import type { CallArgument } from './execution-report.schema.js';

/** Arguments whose text is content, whatever the tool: the text of a file, a prompt, a message, an edit, a thought. */
const CONTENT_KEYS: ReadonlySet<string> = keys(
  `content contents text body message messages msg prompt prompts instruction instructions description oldstring newstring
   oldstr newstr oldtext newtext filetext inserttext newsource cellsource edit edits patch diff replacement code source
   sourcecode script html markdown xml csv payload data rows records document documents subject comment comments note
   notes thought thoughts thinking reasoning explanation justification summary plan todos question questions answer
   answers reply response transcript title stdin input output history conversation`,
);
/** Arguments that name a person or an account. */
const PERSONAL_KEYS: ReadonlySet<string> = keys(
  `user users userid username login account accountid accountname customer customerid customername client clientname owner
   author assignee recipient recipients sender to cc bcc email emails emailaddress mail phone phonenumber telephone mobile
   address street city zip zipcode postalcode postcode firstname lastname fullname middlename surname givenname familyname
   nickname displayname dob birthdate birthday dateofbirth passport ssn iban bic card cardnumber creditcard passenger
   passengers contact contacts guest guests patient patients employee employees`,
);
/** The command line of a shell is the call's action. */
const COMMAND_KEYS: ReadonlySet<string> = keys('command cmd');
/** Words of the name of a tool that writes to people or files, or notes something down: each text with a blank in it is content. */
const WRITES =
  /^(?:write|edit|patch|send|post|publish|comment|reply|respond|message|email|mail|notify|think|thought|note|remember|todo|plan|ask|prompt|agent|task|transfer|escalate)$/;
/** What a value that is no text, list or map can be. */
const PLAIN_VALUE = /^(?:-?\d{1,30}(?:\.\d{1,30})?(?:e[+-]?\d{1,4})?|true|false|null|\[[a-z]{1,10}\])?$/i;
const PATH_KEYS: ReadonlySet<string> = keys(
  'path filepath file filename notebookpath directory dirpath dir folder cwd workdir url uri',
);
/** A list or a map that holds such an argument, and not only a placeholder for it. */
const NESTED =
  /["'](?:content|text|body|message|prompt|old_?str(?:ing)?|new_?str(?:ing)?|code|patch|(?:first|last|full)_?name|email|phone|dob)["']\s{0,5}:\s{0,5}(?!["']?\[)/i;

function keys(names: string): ReadonlySet<string> {
  return new Set(names.split(/\s+/));
}

/** `sendMessage` and `mcp__chat__send_message`, but not `mcp__postgres__query`. */
const writes = (tool: string): boolean =>
  tool
    .replace(/([a-z])(?=[A-Z])/g, '$1_')
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => WRITES.test(word));

/** The key as the lists above spell it. */
const plain = (key: string): string => key.toLowerCase().replace(/[^a-z\d]/g, '');

/** True if the argument names a file, a folder or an address. */
export function isPathArgument(key: string): boolean {
  return PATH_KEYS.has(plain(key));
}

/**
 * True if an argument's value must not be stored: it is content, or it names a person. Its type, length and kind of file
 * say what it was.
 */
export function isContentArgument(tool: string, { key, type, value = '' }: CallArgument): boolean {
  const name = plain(key);
  if (PERSONAL_KEYS.has(name)) return true;
  if (type === 'number' || type === 'boolean' || type === 'null') return !PLAIN_VALUE.test(value);
  if (CONTENT_KEYS.has(name) || (isShellTool(tool) && COMMAND_KEYS.has(name))) return true;
  if (writes(tool) && !PATH_KEYS.has(name) && /\s/.test(value.trim())) return true;
  return /[\n\r]/.test(value) || NESTED.test(value);
}
