// What each client for JavaScript does with the server: it prints one line, or fails.
export async function check(client) {
  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  if (!names.includes("whoami") || !names.includes("list_issues")) throw new Error(`tools: ${names}`);
  const called = await client.callTool({ name: "whoami", arguments: {} });
  if (called.isError || called.structuredContent?.data?.name !== "interop") throw new Error(JSON.stringify(called));
  const refused = await client.callTool({ name: "get_issue", arguments: { id: 1 } });
  if (!refused.isError) throw new Error(JSON.stringify(refused));
  const { prompts } = await client.listPrompts();
  const prompt = await client.getPrompt({ name: prompts[0].name, arguments: { project: "shop" } });
  if (prompt.messages.length !== 1) throw new Error(JSON.stringify(prompt));
  const wrong = await client.getPrompt({ name: prompts[0].name, arguments: { projct: "x" } }).catch((error) => error);
  if (wrong.code !== -32602) throw new Error(`a wrong argument of a prompt: ${wrong.code} ${wrong.message}`);
  console.log(`${tools.length} tools, ${prompts.length} prompts`);
  await client.close();
}
