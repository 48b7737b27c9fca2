"""An agent of the OpenAI Agents SDK with Guildbook: pip install openai-agents

GUILDBOOK_TOKEN=gba_... python3 openai_agent.py "run the nightly export"
"""

import subprocess
import sys

from agents import Agent, Runner, function_tool
from guildbook_http import Denied, Run

task = sys.argv[1]
run = Run(task)


def execute(command: str) -> str:
    return subprocess.run(command, shell=True, check=True, capture_output=True, text=True).stdout


@function_tool
def shell(command: str) -> str:
    """Run a command line."""
    try:
        return run.call("shell", command, lambda: execute(command))
    except (Denied, subprocess.CalledProcessError) as error:
        return getattr(error, "stderr", None) or str(error)


agent = Agent(name="builder", tools=[shell])
messages = [*run.recall(), {"role": "user", "content": task}]
print(Runner.run_sync(agent, messages).final_output)
run.report()
