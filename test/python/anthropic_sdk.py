"""The official Anthropic SDK, with presetd as its base URL."""

import asyncio

import anthropic
from checks import Server, check, equal, raises, run_checks

BASE_URL = f"{Server.url}/api"
client = anthropic.Anthropic(api_key=Server.api_key, base_url=BASE_URL, max_retries=0)
QUESTION = {"max_tokens": 300, "messages": [{"role": "user", "content": "Will it rain?"}]}


@check("messages: sends a request with a preset")
def _():
    model = Server.capture("anthropic", Server.text_model, temperature=0.2)
    answer = client.messages.with_raw_response.create(model=model, **QUESTION)
    equal(answer.headers["x-presetd-preset"], "anthropic@1")
    equal(answer.parse().content[0].text, Server.spoken_text)
    expected = {"model": Server.text_model, "temperature": 0.2, "system": "You are terse.", **QUESTION}
    equal(Server.upstream_got(), expected)


@check("messages: sends the key as a bearer token")
def _():
    model = Server.capture("anthropic-bearer", Server.text_model)
    bearer = anthropic.Anthropic(auth_token=Server.api_key, api_key=None, base_url=BASE_URL, max_retries=0)
    equal(bearer.messages.create(model=model, **QUESTION).content[0].text, Server.spoken_text)


@check("messages: streams an answer")
def _():
    model = Server.capture("anthropic-stream", Server.text_model)
    with client.messages.stream(model=model, **QUESTION) as stream:
        text = "".join(stream.text_stream)
        final = stream.get_final_message()
    equal((text, final.content[0].text), (Server.spoken_text, Server.spoken_text))


@check("messages: gets a tool call, in whole and in a stream")
def _():
    model = Server.capture("anthropic-tool", Server.tool_model)
    whole = client.messages.create(model=model, **QUESTION)
    call = next(block for block in whole.content if block.type == "tool_use")
    equal((whole.stop_reason, call.name, call.input), ("tool_use", "get_weather", {"city": "Zürich"}))
    with client.messages.stream(model=model, **QUESTION) as stream:
        content = stream.get_final_message().content
    streamed = next(block for block in content if block.type == "tool_use")
    equal((streamed.name, streamed.input), (call.name, call.input))


@check("messages: raises the errors of the upstream and of the server")
def _():
    with raises(anthropic.RateLimitError, 429) as caught:
        client.messages.create(model=Server.limited_model, **QUESTION)
    assert "Slow down" in caught[0].message, caught[0].message
    with raises(anthropic.NotFoundError, 404):
        client.messages.create(model="@preset/nowhere", **QUESTION)
    with raises(anthropic.AuthenticationError, 401):
        client.with_options(api_key="sk-unknown").messages.create(model="m", **QUESTION)


@check("messages: sends requests from an asyncio program")
def _():
    model = Server.capture("anthropic-async", Server.text_model)

    async def ask():
        async with anthropic.AsyncAnthropic(api_key=Server.api_key, base_url=BASE_URL) as asynchronous:
            return await asynchronous.messages.create(model=model, **QUESTION)

    equal(asyncio.run(ask()).content[0].text, Server.spoken_text)


@check("messages: counts tokens with a preset")
def _():
    model = Server.capture("anthropic-counted", Server.text_model)
    plain = client.messages.count_tokens(model=Server.text_model, messages=QUESTION["messages"])
    counted = client.messages.count_tokens(model=model, messages=QUESTION["messages"])
    assert 0 < plain.input_tokens < counted.input_tokens < 50


@check("models: lists the presets as models that can be retrieved and called")
def _():
    Server.capture("anthropic-listed", Server.text_model)
    model = "anthropic/@preset/anthropic-listed"
    assert model in [listed.id for listed in client.models.list()]
    equal(client.models.retrieve(model).id, model)
    equal(client.messages.create(model=model, **QUESTION).content[0].text, Server.spoken_text)
    equal(Server.upstream_got()["model"], Server.text_model)


run_checks()
