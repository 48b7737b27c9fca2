import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiResponse } from '@nestjs/swagger';
import { openApiSchema } from '../platform/http/returns.decorator.js';
import { JsonRpcMessage, JsonRpcResponse } from './json-rpc.schema.js';

const RESPONSE = openApiSchema(JsonRpcResponse);
const JSON_CONTENT = { 'application/json': { schema: RESPONSE } };
const EVENT = 'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"tools":[]}}\n\n';

/** Documents the answers to a JSON-RPC message over streamable HTTP. The handler of the protocol gives them. */
export const ReturnsJsonRpc = () =>
  applyDecorators(
    ApiHeader({
      name: 'accept',
      required: true,
      description: 'Must name both media types of the answer',
      example: 'application/json, text/event-stream',
    }),
    ApiHeader({ name: 'mcp-protocol-version', required: false, description: 'The version that both sides agreed on' }),
    ApiBody({ schema: openApiSchema(JsonRpcMessage) }),
    ApiResponse({
      status: 200,
      description: 'The response to a request, as JSON or as a stream with one event',
      content: { ...JSON_CONTENT, 'text/event-stream': { schema: { type: 'string' }, example: EVENT } },
    }),
    ApiResponse({ status: 202, description: 'A notification was accepted' }),
    ApiResponse({ status: 400, description: 'Not a JSON-RPC message, or an unknown version', content: JSON_CONTENT }),
    ApiResponse({ status: 404, description: 'The server does not offer this method', content: JSON_CONTENT }),
    ApiResponse({ status: 406, description: 'The header Accept lacks a media type', content: JSON_CONTENT }),
    ApiResponse({ status: 415, description: 'The body is not application/json', content: JSON_CONTENT }),
  );

/** Documents that the server offers no streams of its own and no sessions. */
export const RefusesMethod = () =>
  ApiResponse({ status: 405, description: 'Method not allowed; only POST is', content: JSON_CONTENT });
