// mcp-remote makes a server over standard input and output of one over HTTP, for clients that know no other.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { check } from "./check.mjs";

const args = [process.env.MCP_REMOTE, process.env.MCP_URL, "--header", "Authorization:${AUTH}", "--allow-http", "--transport", "http-only"];
const env = { ...process.env, AUTH: `Bearer ${process.env.ERRAND_TOKEN}` };
const client = new Client({ name: "interop", version: "1" });
await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" }));
await check(client);
