"""Restarts under load: the listening socket outlives the server, nobody is refused, and nothing acknowledged is lost.

The suite runs a few seconds at BELFRY_RESTART_RATE=300 messages per second. For a longer run:

    BELFRY_RESTART_RATE=2000 BELFRY_RESTARTS=3 pytest -s Tests/sdk/test_restart.py
"""

import asyncio
import os

from belfry import Door
from restarts import LOAD, bear_restarts
from supervisor import Supervisor

RATE = int(os.environ.get("BELFRY_RESTART_RATE", "300"))
RESTARTS = int(os.environ.get("BELFRY_RESTARTS", "2"))
SEED = int(os.environ.get("BELFRY_RESTART_SEED", "7"))


async def test_a_restart_under_load_refuses_nobody_and_loses_nothing(tmp_path):
    """MS3"""
    with Supervisor(tmp_path) as supervisor:
        supervisor.start(LOAD)

        async def restart():
            supervisor.servers[-1].process.terminate()
            assert await asyncio.to_thread(supervisor.servers[-1].process.wait, 60) == 0
            await asyncio.to_thread(supervisor.start, LOAD)

        await bear_restarts(Door("127.0.0.1", supervisor.ports[0]), RESTARTS, RATE, SEED, restart)
        assert supervisor.servers[-1].terminate() == 0
