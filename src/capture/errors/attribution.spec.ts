import { describe, expect, it } from '@jest/globals';
import { attribute, isLearnable } from './attribution.js';

describe('the attribution of a failure', () => {
  it.each([
    ['environment', 'API Error: 429 {"type":"error"}'],
    ['environment', 'HTTP 503 Service Unavailable'],
    ['environment', 'API Error: 529 {"error":{"type":"overloaded_error"}}'],
    ['environment', 'Error: connect ECONNREFUSED 127.0.0.1:5432'],
    ['environment', 'npm ERR! code ENOTFOUND'],
    ['environment', 'curl: (6) Could not resolve host: registry.example.com'],
    ['environment', 'Command timed out after 2m 0s'],
    ['environment', 'write error: No space left on device'],
    ['environment', 'requests.exceptions.HTTPError: 429 Client Error: Too Many Requests'],
    ['permission', 'HTTP 401 Unauthorized'],
    ['permission', "The user doesn't want to proceed with this tool use."],
    ['permission', "fatal: could not read Username for 'https://git.example.com'"],
    ['permission', "Error: EACCES: permission denied, open '/etc/hosts'"],
    ['permission', "PermissionError: [Errno 13] Permission denied: 'x'"],
    ['capability', '<tool_use_error>Error: No such tool available: Deploy</tool_use_error>'],
    ['procedure', '<tool_use_error>InputValidationError: Read failed due to the following issue</tool_use_error>'],
    ['procedure', 'SyntaxError: invalid syntax'],
    ['procedure', '(eval):cd:1: no such file or directory: app'],
    ['procedure', "AttributeError: 'Quota' object has no attribute 'forbidden'"],
    ['unknown', 'Exit code 1'],
    ['unknown', 'it did not work'],
    ['unknown', ''],
  ])('%s: %s', (expected, message) => {
    expect(attribute({ message })).toBe(expected);
  });

  it.each([
    ['environment', '["Execution result status code is not 200, got 502"]'],
    ['environment', 'request failed with status code 429'],
    ['environment', "HTTPSConnectionPool(host='a', port=443): Max retries exceeded with url: /v1"],
    ['environment', 'botocore.exceptions.ReadTimeoutError: Read timeout on endpoint URL'],
    ['environment', 'urllib3.exceptions.NewConnectionError: failed to establish a new connection'],
    ['permission', 'botocore.exceptions.NoCredentialsError: Unable to locate credentials'],
    ['permission', 'Execution result status code is not 200, got 401'],
    ['procedure', 'Execution result status code is not 200, got 404'],
    ['procedure', "Error executing query: Unknown column 'email' in 'field list'"],
    ['procedure', "Error executing query: Table 'shop.orders' doesn't exist"],
    ['procedure', 'ERROR: syntax error at or near "SELEC"'],
    ['procedure', "1 validation error for Payment\npayment_id\n  Field required [type=missing, input_value={'id': 1}]"],
    ['procedure', "Incorrect type for parameter 'e'. Expected type String, got dict."],
    ['procedure', "I don't understand your input. If you want to run code, say so."],
    ['unknown', 'status code is 200'],
    ['unknown', 'Orders that are not processed'],
  ])('for services, databases and validators, %s: %s', (expected, message) => {
    expect(attribute({ message })).toBe(expected);
  });

  it('a deadline for the agent’s own code is procedure, a deadline of a service is not', () => {
    const own =
      'in Harness.time_limit.<locals>.signal_handler(signum, frame)\nTimeoutError: Timed out after 30 seconds.';
    expect(attribute({ message: own })).toBe('procedure');
    expect(attribute({ message: 'TimeoutError: Timed out after 30 seconds.' })).toBe('environment');
  });

  it('the end of the execution decides if the text says nothing', () => {
    const ended = (reason: string, retriesUsedUp = false) =>
      attribute({ message: 'Exit code 1', ended: { reason, retriesUsedUp } });
    expect(ended('rate_limit')).toBe('environment');
    expect(ended('gave up', true)).toBe('environment');
    expect(ended('interrupted by the user')).toBe('underspecified');
    expect(ended('max_turns')).toBe('unknown');
    expect(attribute({ message: 'SyntaxError: x', ended: { reason: 'rate_limit', retriesUsedUp: true } })).toBe(
      'procedure',
    );
  });

  it('a missing capability that the reporter names decides', () => {
    expect(attribute({ message: 'SyntaxError: x', missingCapability: 'browser' })).toBe('capability');
  });

  it("the reporter's category counts if the text says nothing, and does not turn a syntax error into an outage", () => {
    expect(attribute({ category: 'rate_limit' })).toBe('environment');
    expect(attribute({ message: 'Exit code 1', category: 'auth' })).toBe('permission');
    expect(attribute({ message: 'SyntaxError: invalid syntax', category: 'rate_limit' })).toBe('procedure');
    expect(attribute({ message: 'SyntaxError: invalid syntax', category: 'SyntaxError' })).toBe('procedure');
  });

  it('only procedure and unknown are learnable', () => {
    const learnable = (
      ['procedure', 'environment', 'permission', 'capability', 'underspecified', 'unknown'] as const
    ).filter(isLearnable);
    expect(learnable).toEqual(['procedure', 'unknown']);
  });
});
