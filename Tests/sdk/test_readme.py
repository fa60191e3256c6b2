"""The README's Python block, run as it stands there."""

import asyncio
import os
import pathlib
import re
import sys

from belfry import token

README = pathlib.Path(__file__).parents[2] / "README.md"


async def test_the_readme_example_sends_its_message(server, name):
    ann, general = name("ann"), name("general")
    status, _ = server.post("channel.create", {"id": general}, user=ann)
    assert status == 200
    (block,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.S)
    program = block.replace("8080", str(server.port)).replace('"general"', f'"{general}"')
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, env={**os.environ, "ANN": token(ann)},
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == 0, errors
    assert f"{general} 2 message.new" in output.decode()
