"""What each client for Python does with the server: it prints one line, or fails."""
import json
import re


async def check(session):
    tools = (await session.list_tools()).tools
    names = [tool.name for tool in tools]
    assert "whoami" in names and "list_issues" in names, names
    called = await session.call_tool("whoami", {})
    assert content_of(called)["data"]["name"] == "interop", called
    refused = await session.call_tool("get_issue", {"id": 999999999})
    assert getattr(refused, "isError", None) or getattr(refused, "is_error", None), refused
    prompts = (await session.list_prompts()).prompts
    prompt = await session.get_prompt(prompts[0].name, {"project": "shop"})
    assert len(prompt.messages) == 1, prompt
    print(f"{len(tools)} tools, {len(prompts)} prompts; {await fix_one(session)}")


async def fix_one(session):
    """Takes an issue and links a fix to it, as an agent does, and says what the model sent and was shown."""
    size = 0

    async def call(name, arguments):
        nonlocal size
        result = await session.call_tool(name, arguments)
        assert not (getattr(result, "isError", None) or getattr(result, "is_error", None)), result
        text = result.content[0].text
        size += len(json.dumps(arguments, separators=(",", ":")).encode()) + len(text.encode())
        return text

    issue = int(re.match(r"issue_id=(\d+) ", await call("next_issue", {}))[1])
    fix = {"id": issue, "commit": "8c5e21f", "note": "The rule of the discount has a default now.", "release": True}
    linked = json.loads(await call("link_fix", fix))["data"]
    assert linked["status"] == "fix_pending" and linked["claim"] is None, linked
    return f"a fix: 2 calls, {size} bytes"


def content_of(result):
    """The structured content, whose name depends on the version."""
    return getattr(result, "structuredContent", None) or result.structured_content
