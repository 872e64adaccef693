// The official SDK for TypeScript, version 1.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { signIn } from './sdk.mjs';

await signIn('TypeScript 1', Client, StreamableHTTPClientTransport);
