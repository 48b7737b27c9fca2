import { z } from 'zod';

export const MCP_REVISION = '2026-07-28';
export const MCP_META = 'io.modelcontextprotocol';

const Answer = z.object({
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.looseObject({ code: z.int() }).optional(),
});

/** Sends a request of the newest revision of the Model Context Protocol, which has no handshake. */
export async function mcpRequest(
  { url, token }: { readonly url: string; readonly token: string },
  method: string,
  params: Record<string, unknown> = {},
): Promise<z.infer<typeof Answer>> {
  const _meta = {
    [`${MCP_META}/protocolVersion`]: MCP_REVISION,
    [`${MCP_META}/clientInfo`]: { name: 'spec', version: '1' },
    [`${MCP_META}/clientCapabilities`]: {},
  };
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MCP_REVISION,
      'mcp-method': method,
      ...(typeof params.uri === 'string' ? { 'mcp-name': params.uri } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  });
  const text = await response.text();
  return Answer.parse(JSON.parse(text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '')));
}
