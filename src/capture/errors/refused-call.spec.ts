import { expect, it } from '@jest/globals';
import { wasRefused } from './refused-call.js';

it.each([
  ["The user doesn't want to proceed with this tool use. The tool use was rejected.", true],
  ["Claude requested permissions to write to a.txt, but you haven't granted it yet.", true],
  ['<tool_use_error>Sibling tool call errored</tool_use_error>', true],
  ['exec command rejected by user', true],
  ['PreToolUse:Bash hook blocked the call', true],
  ['PreToolUse:Bash hook error: use python3', true],
  ['Command blocked by PreToolUse hook: use python3. Command: python a.py', true],
  ['Tool execution blocked: use python3', true],
  ['Denied by preToolUse hook: use python3', true],
  ['The user rejected permission to use this specific tool call.', true],
  ['Error: Guildbook refused this call once, because …', true],
  ['Please provide exactly one action in triple backticks, found 2 actions.', true],
  ['Your answer did not contain any tool call. Use the form of the first message.', true],
  ['gh: no actions found in this repository', false],
  ['Exit code 1\nbash: x: Permission denied', false],
  ['<tool_use_error>InputValidationError: limit must be a number</tool_use_error>', false],
  ["Error: the user doesn't exist", false],
])('a call was refused by its answer: %s', (answer, expected) => {
  expect(wasRefused(answer)).toBe(expected);
});
