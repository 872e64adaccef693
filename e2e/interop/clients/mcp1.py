import asyncio
import os

from check import check
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client


async def main():
    headers = {"Authorization": "Bearer " + os.environ["ERRAND_TOKEN"]}
    async with streamablehttp_client(os.environ["MCP_URL"], headers=headers) as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            await check(session)


asyncio.run(main())
