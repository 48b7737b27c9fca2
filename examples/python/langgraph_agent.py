"""An agent of LangGraph with Guildbook: pip install langchain langchain-anthropic

GUILDBOOK_TOKEN=gba_... python3 langgraph_agent.py "run the nightly export"
"""

import subprocess
import sys

from guildbook_http import Denied, Run
from langchain.agents import create_agent
from langchain.tools import tool

task = sys.argv[1]
run = Run(task)


def execute(command: str) -> str:
    return subprocess.run(command, shell=True, check=True, capture_output=True, text=True).stdout


@tool
def shell(command: str) -> str:
    """Run a command line."""
    try:
        return run.call("shell", command, lambda: execute(command))
    except (Denied, subprocess.CalledProcessError) as error:
        return getattr(error, "stderr", None) or str(error)


agent = create_agent("anthropic:claude-sonnet-4-5", tools=[shell])
messages = [*run.recall(), {"role": "user", "content": task}]
print(agent.invoke({"messages": messages})["messages"][-1].content)
run.report()
