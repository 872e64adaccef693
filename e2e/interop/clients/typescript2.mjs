import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { check } from "./check.mjs";

const headers = { Authorization: `Bearer ${process.env.ERRAND_TOKEN}` };
const client = new Client({ name: "interop", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(process.env.MCP_URL), { requestInit: { headers } }));
await check(client);
