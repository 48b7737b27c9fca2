import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** The official MCP client with the token of an agent or an administrator. */
export class McpTestClient {
  private constructor(private readonly client: Client) {}

  static async connect(url: string, token: string): Promise<McpTestClient> {
    const client = new Client({ name: 'spec', version: '1' });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    );
    return new McpTestClient(client);
  }

  async tools() {
    return (await this.client.listTools()).tools;
  }

  /** Text and data of a tool's answer, as the client checked it against the tool's output schema. */
  async call(name: string, args: Record<string, unknown>) {
    const answer = await this.client.callTool({ name, arguments: args });
    const [first] = answer.content;
    return {
      isError: answer.isError === true,
      text: first?.type === 'text' ? first.text : '',
      data: answer.structuredContent,
    };
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
