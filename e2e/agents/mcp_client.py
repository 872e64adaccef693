"""The official SDK for Python."""
import asyncio
import subprocess
import sys
from urllib.parse import parse_qs, urlparse

import httpx2
from mcp import ClientSession
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

CALLBACK = "http://127.0.0.1:7778/callback"


class Memory:
    """Keeps what the SDK is given, for one run."""

    tokens = None
    client_info = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client_info

    async def set_client_info(self, client_info):
        self.client_info = client_info


class Person:
    """Allows what is asked, and remembers where the browser would be sent."""

    async def consent(self, page):
        script = "import('./consent.mjs').then(async (m) => console.log(await m.consent(process.argv[1])))"
        done = subprocess.run(["node", "-e", script, page], check=True, capture_output=True, text=True)
        self.back = parse_qs(urlparse(done.stdout.strip()).query)

    async def answer(self):
        return AuthorizationCodeResult(code=self.back["code"][0], state=self.back["state"][0], iss=self.back["iss"][0])


async def main(url):
    person = Person()
    metadata = OAuthClientMetadata(client_name="Python", redirect_uris=[CALLBACK])
    auth = OAuthClientProvider(url, metadata, Memory(), person.consent, person.answer)
    async with httpx2.AsyncClient(auth=auth) as http, streamable_http_client(url, http_client=http) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            answer = await session.call_tool("whoami", {})
            print(answer.structured_content["data"]["name"])


asyncio.run(main(sys.argv[1]))
