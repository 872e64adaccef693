import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { check } from "./check.mjs";

const headers = { Authorization: `Bearer ${process.env.ERRAND_TOKEN}` };
const client = new Client({ name: "interop", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(process.env.MCP_URL), { requestInit: { headers } }));
await check(client);
