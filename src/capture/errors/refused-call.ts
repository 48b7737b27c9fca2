/** What agents answer in place of a call that the user, a permission rule or a hook refused, or that was cancelled. */
const REFUSALS: readonly RegExp[] = [
  /^The \w{1,30} doesn't want to (?:proceed with|take) this /,
  /^\[Request interrupted by user/,
  /^Claude requested permissions? to /,
  /^Permission (?:to use .{1,200} )?(?:has been|was) (?:denied|not granted)/i,
  /^(?:Error: )?(?:Sibling tool call errored|Cancelled: parallel tool call)/i,
  /^(?:Error: )?(?:Tool (?:use|call|execution) (?:was )?)?(?:rejected|declined|denied|cancell?ed|aborted) by (?:the )?user\b/i,
  /^(?:Error: )?(?:exec(?:_command)? )?(?:command )?(?:failed: )?rejected by user/i,
  /^(?:[A-Z]\w{1,30} operation blocked by hook|PreToolUse:\w{1,80} hook (?:blocked|denied|stopped|error))/,
  /^(?:Error: )?(?:Command blocked by PreToolUse hook: |Tool execution blocked: |Denied by preToolUse hook: )/,
  /^The user rejected permission to use this specific tool call/,
  /^(?:Error: )?Guildbook refused this call once/,
  /^This (?:Bash )?command (?:contains .{1,200})?requires (?:your )?approval/i,
  /was blocked\. For security, /,
  // The harness refuses a reply that is not in its form.
  /\b(?:exactly one|did not contain|no|more than one|multiple|malformed)\b.{0,40}\b(?:action|code block|tool call)s?\b.{0,60}\b(?:backticks|reply|response|output|message)\b/i,
];

/** True if the answer to a call says that it never ran. */
export function wasRefused(answer: string): boolean {
  const text = answer
    .slice(0, 1_000)
    .replace(/^\s{0,20}<tool_use_error>/, '')
    .trimStart();
  return REFUSALS.some((pattern) => pattern.test(text));
}
