import asyncio
import os

import httpx2
from check import check
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client


async def main():
    headers = {"Authorization": "Bearer " + os.environ["ERRAND_TOKEN"]}
    async with httpx2.AsyncClient(headers=headers) as http:
        async with Client(streamable_http_client(os.environ["MCP_URL"], http_client=http)) as client:
            await check(client)


asyncio.run(main())
