// The official SDK for TypeScript, version 2.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { signIn } from './sdk.mjs';

await signIn('TypeScript 2', Client, StreamableHTTPClientTransport);
