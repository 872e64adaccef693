// Each client for JavaScript runs this against the server. It prints one line, or fails.
export async function check(client) {
  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  if (!names.includes("whoami") || !names.includes("list_issues")) throw new Error(`tools: ${names}`);
  const called = await client.callTool({ name: "whoami", arguments: {} });
  if (called.isError || called.structuredContent?.data?.name !== "interop") throw new Error(JSON.stringify(called));
  const refused = await client.callTool({ name: "get_issue", arguments: { id: 999999999 } });
  if (!refused.isError) throw new Error(JSON.stringify(refused));
  const { prompts } = await client.listPrompts();
  const prompt = await client.getPrompt({ name: prompts[0].name, arguments: { project: "shop" } });
  if (prompt.messages.length !== 1) throw new Error(JSON.stringify(prompt));
  const wrong = await client.getPrompt({ name: prompts[0].name, arguments: { projct: "x" } }).catch((error) => error);
  if (wrong.code !== -32602) throw new Error(`a wrong argument of a prompt: ${wrong.code} ${wrong.message}`);
  console.log(`${tools.length} tools, ${prompts.length} prompts; ${await fixOne(client)}`);
  await client.close();
}

// fixOne takes an issue and links a fix to it, as an agent does, and returns how much the model sent and saw.
async function fixOne(client) {
  let bytes = 0;
  const call = async (name, args) => {
    const { content, isError } = await client.callTool({ name, arguments: args });
    if (isError || content.length !== 1) throw new Error(`${name}: ${JSON.stringify(content)}`);
    bytes += Buffer.byteLength(JSON.stringify(args)) + Buffer.byteLength(content[0].text);
    return content[0].text;
  };
  const [, id] = /^issue_id=(\d+) /.exec(await call("next_issue", {}));
  const fix = { id: Number(id), commit: "8c5e21f", note: "The rule of the discount has a default now.", release: true };
  const linked = JSON.parse(await call("link_fix", fix)).data;
  if (linked.status !== "fix_pending" || linked.claim !== null) throw new Error(JSON.stringify(linked));
  return `a fix: 2 calls, ${bytes} bytes`;
}
