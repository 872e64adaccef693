// mcp-remote turns a server over HTTP into one over standard input and output, for clients that know only those.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { check } from "./check.mjs";

const args = [process.env.MCP_REMOTE, process.env.MCP_URL, "--header", "Authorization:${AUTH}", "--allow-http", "--transport", "http-only"];
const env = { ...process.env, AUTH: `Bearer ${process.env.ERRAND_TOKEN}` };
const client = new Client({ name: "interop", version: "1" });
await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" }));
await check(client);
