"""Drives an MCP server over stdio with the official Python SDK, one JSON line at a time.

A test writes steps to standard input and reads answers from standard output. Calls run beside
each other, so that a test can start one, answer its approval from elsewhere and then read the
result. This file decides nothing: what an answer should have been is the test's business.

  first line   {"command": "...", "args": [...], "env": {...}, "cwd": "...", "mode": "auto"}
  then         {"id": 1, "do": "list"}
               {"id": 2, "do": "call", "tool": "...", "arguments": {...}, "timeout": 20}
               {"id": 3, "do": "seen"}        notifications and stderr-free facts so far
  answers      {"ready": {...}} once, then {"id": 1, "ok": ...} or {"id": 1, "error": {...}},
               in the order in which they come about
End of input ends the session and the server.
"""

import json
import sys

import anyio
from mcp import Client, StdioServerParameters


def tell(message):
    sys.stdout.write(json.dumps(message, sort_keys=True) + "\n")
    sys.stdout.flush()


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


class Driver:
    def __init__(self, client, seen):
        self.client = client
        self.seen = seen

    async def list(self, _step):
        tools, cursor = [], None
        while True:
            page = await self.client.list_tools(cursor=cursor)
            tools += [plain(tool) for tool in page.tools]
            cursor = page.next_cursor
            if not cursor:
                return {"tools": tools}

    async def call(self, step):
        async def progress(done, total, message):
            self.seen.append({"progress": {"of": step["id"], "done": done, "total": total, "message": message}})

        result = await self.client.call_tool(
            step["tool"],
            step.get("arguments", {}),
            read_timeout_seconds=step.get("timeout", 30),
            progress_callback=progress,
        )
        return plain(result)

    async def run(self, step):
        try:
            if step["do"] == "seen":
                answer = {"seen": list(self.seen)}
            elif step["do"] == "list":
                answer = await self.list(step)
            elif step["do"] == "call":
                answer = await self.call(step)
            else:
                raise ValueError(f"no such step: {step['do']}")
        except Exception as error:  # every failure is an answer that the test judges
            code = getattr(error, "code", None)
            tell({"id": step["id"], "error": {"kind": type(error).__name__, "code": code, "message": str(error)}})
        else:
            tell({"id": step["id"], "ok": answer})


async def main():
    lines = anyio.wrap_file(sys.stdin)
    start = json.loads(await lines.readline())
    seen = []

    async def notice(message):
        told = plain(message) if hasattr(message, "model_dump") else {"broken": str(message)}
        seen.append({"message": told})

    server = StdioServerParameters(
        command=start["command"],
        args=start.get("args", []),
        env=start.get("env"),
        cwd=start.get("cwd"),
    )
    client = Client(server, mode=start.get("mode", "auto"), message_handler=notice, cache=None)
    async with client, anyio.create_task_group() as calls:
        info = client.server_info
        tell({"ready": {"protocol": client.protocol_version, "server": plain(info) if info else None}})
        driver = Driver(client, seen)
        async for line in lines:
            calls.start_soon(driver.run, json.loads(line))
        calls.cancel_scope.cancel()


anyio.run(main)
