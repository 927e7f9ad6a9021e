"""Tool loops of Python clients whose presets are at upstreams of another dialect.

The upstreams reason, call `get_weather` and `get_time` at once, and reject a conversation whose calls,
results or reasoning are not what they expect. Without tools they answer at once.
"""

import contextlib
import io
import json
import os
import re
from pathlib import Path

import anthropic
import openai
from anthropic import beta_tool
from checks import Server, check, equal, run_checks
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

CLIENT_PAGES = Path(__file__).parents[2] / "docs" / "clients"
PROMPT = "Should I take an umbrella?"
TEXT = os.environ["UPSTREAM_SPOKEN_TEXT"]
openai_client = openai.OpenAI(api_key=Server.api_key, base_url=Server.api_url, max_retries=0)
anthropic_client = anthropic.Anthropic(api_key=Server.api_key, base_url=f"{Server.url}/api", max_retries=0)


def get_weather(city: str) -> str:
    """Looks up the weather."""
    return f"Rain in {city} ☔"


def get_time(zone: str, hour12: bool) -> str:
    """Tells the time."""
    return f"12:30 in {zone}, {json.dumps(hour12)}"


FUNCTIONS = {"get_weather": get_weather, "get_time": get_time}
SCHEMAS = {
    "get_weather": {"type": "object", "properties": {"city": {"type": "string"}}},
    "get_time": {
        "type": "object",
        "properties": {"zone": {"type": "string"}, "hour12": {"type": "boolean"}},
    },
}


def model_on(dialect):
    return f"@preset/on-{dialect}"


def lenient_model_on(dialect):
    """Accepts that reasoning is not sent back."""
    return f"@preset/lenient-on-{dialect}"


def chat(dialect):
    messages = [{"role": "user", "content": PROMPT}]
    tools = [
        {"type": "function", "function": {"name": name, "parameters": schema}}
        for name, schema in SCHEMAS.items()
    ]
    for _ in range(2):
        with openai_client.chat.completions.stream(
            model=lenient_model_on(dialect), messages=messages, tools=tools
        ) as stream:
            message = stream.get_final_completion().choices[0].message
        calls = message.tool_calls or []
        messages.append(
            {"role": "assistant", "content": message.content, "tool_calls": [call.to_dict() for call in calls]}
        )
        for call in calls:
            result = FUNCTIONS[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    equal(message.content, TEXT)


def responses(dialect):
    items = [{"role": "user", "content": PROMPT}]
    tools = [
        {"type": "function", "name": name, "parameters": schema, "strict": False}
        for name, schema in SCHEMAS.items()
    ]
    for _ in range(2):
        with openai_client.responses.stream(
            model=model_on(dialect), input=items, tools=tools, store=False
        ) as stream:
            response = stream.get_final_response()
        items += [item.to_dict() for item in response.output]
        for item in response.output:
            if item.type == "function_call":
                result = FUNCTIONS[item.name](**json.loads(item.arguments))
                items.append({"type": "function_call_output", "call_id": item.call_id, "output": result})
    equal(response.output_text, TEXT)


def messages(dialect):
    runner = anthropic_client.beta.messages.tool_runner(
        model=model_on(dialect),
        max_tokens=9000,
        messages=[{"role": "user", "content": PROMPT}],
        tools=[beta_tool(function) for function in FUNCTIONS.values()],
        stream=True,
    )
    for stream in runner:
        final = stream.get_final_message()
    equal([block.text for block in final.content], [TEXT])


def langchain(model):
    """Streams, and adds the chunks of each answer up, as LangChain's agents do."""
    bound = model.bind_tools([tool(function) for function in FUNCTIONS.values()])
    conversation = [HumanMessage(PROMPT)]
    for _ in range(2):
        answer = None
        for chunk in bound.stream(conversation):
            answer = chunk if answer is None else answer + chunk
        conversation.append(answer)
        conversation += [tool(FUNCTIONS[call["name"]]).invoke(call) for call in answer.tool_calls]
    equal(answer.text, TEXT)
    assert answer.usage_metadata["output_tokens"] > 0


def chat_openai(model, **options):
    return ChatOpenAI(model=model, api_key=Server.api_key, base_url=Server.api_url, max_retries=0, **options)


def chat_anthropic(model):
    return ChatAnthropic(model=model, api_key=Server.api_key, base_url=f"{Server.url}/api", max_retries=0)


@check("openai: runs two tools, chat completions to messages")
def _():
    chat("messages")


@check("openai: runs two tools, chat completions to responses")
def _():
    chat("responses")


@check("openai: runs two tools, responses to messages")
def _():
    responses("messages")


@check("openai: runs two tools, responses to chat completions")
def _():
    responses("chat-completions")


@check("anthropic: runs two tools, messages to chat completions")
def _():
    messages("chat-completions")


@check("anthropic: runs two tools, messages to responses")
def _():
    messages("responses")


@check("langchain-openai: runs two tools, chat completions to messages")
def _():
    langchain(chat_openai(lenient_model_on("messages"), stream_usage=True))


@check("langchain-openai: runs two tools, responses to messages")
def _():
    options = {"use_responses_api": True, "output_version": "responses/v1", "store": False}
    langchain(chat_openai(model_on("messages"), **options))


@check("langchain-anthropic: runs two tools, messages to chat completions")
def _():
    langchain(chat_anthropic(model_on("chat-completions")))


@check("langchain-anthropic: runs two tools, messages to responses")
def _():
    langchain(chat_anthropic(model_on("responses")))


@check("docs: the programs on the pages of clients print an answer")
def _():
    Server.capture("parcel-bot", "messages/model")
    os.environ["PRESETD_API_KEY"] = Server.api_key
    programs = [
        (page.name, program)
        for page in sorted(CLIENT_PAGES.glob("*.md"))
        for program in re.findall(r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    ]
    equal(len(programs), 4)
    for page, program in programs:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(program.replace("http://127.0.0.1:7778", Server.url), {})
        equal((page, printed.getvalue()), (page, f"{TEXT}\n"))


run_checks()
