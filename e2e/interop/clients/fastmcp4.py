import asyncio
import os

from check import content_of
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport


async def main():
    headers = {"Authorization": "Bearer " + os.environ["ERRAND_TOKEN"]}
    async with Client(StreamableHttpTransport(os.environ["MCP_URL"], headers=headers)) as client:
        tools, prompts = await client.list_tools(), await client.list_prompts()
        assert "list_issues" in [tool.name for tool in tools], tools
        called = await client.call_tool("whoami", {})
        assert content_of(called)["data"]["name"] == "interop", called
        refused = await client.call_tool("get_issue", {"id": 999999999}, raise_on_error=False)
        assert refused.is_error, refused
        prompt = await client.get_prompt(prompts[0].name, {"project": "shop"})
        assert len(prompt.messages) == 1, prompt
        print(f"{len(tools)} tools, {len(prompts)} prompts")


asyncio.run(main())
