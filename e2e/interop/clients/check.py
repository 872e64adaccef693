"""What each client for Python does with the server: it prints one line, or fails."""


async def check(session):
    tools = (await session.list_tools()).tools
    names = [tool.name for tool in tools]
    assert "whoami" in names and "list_issues" in names, names
    called = await session.call_tool("whoami", {})
    assert content_of(called)["data"]["name"] == "interop", called
    refused = await session.call_tool("get_issue", {"id": 1})
    assert getattr(refused, "isError", None) or getattr(refused, "is_error", None), refused
    prompts = (await session.list_prompts()).prompts
    prompt = await session.get_prompt(prompts[0].name, {"project": "shop"})
    assert len(prompt.messages) == 1, prompt
    print(f"{len(tools)} tools, {len(prompts)} prompts")


def content_of(result):
    """The structured content, whose name depends on the version."""
    return getattr(result, "structuredContent", None) or result.structured_content
