"""fastmcp's client, which registers, listens for the code and keeps the token by itself."""
import asyncio
import subprocess
import sys

from fastmcp import Client
from fastmcp.client.auth import OAuth


class Person(OAuth):
    async def redirect_handler(self, authorization_url):
        self.consenting = await asyncio.create_subprocess_exec("node", "consent.mjs", str(authorization_url))


async def main(url):
    async with Client(url, auth=Person(url)) as client:
        answer = await client.call_tool("whoami", {})
        print(answer.structured_content["data"]["name"])


asyncio.run(main(sys.argv[1]))
