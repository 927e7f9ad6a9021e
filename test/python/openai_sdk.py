"""The official OpenAI SDK, with presetd as its base URL."""

import asyncio
import json

import openai
from checks import Server, check, equal, raises, run_checks

client = openai.OpenAI(api_key=Server.api_key, base_url=Server.api_url, max_retries=0)
QUESTION = [{"role": "user", "content": "Will it rain?"}]


@check("chat: sends a request with a preset")
def _():
    model = Server.capture("openai-chat", Server.text_model, temperature=0.2)
    answer = client.chat.completions.with_raw_response.create(model=model, messages=QUESTION)
    equal(answer.headers["x-presetd-preset"], "openai-chat@1")
    equal(answer.parse().choices[0].message.content, Server.spoken_text)
    system = {"role": "system", "content": "You are terse."}
    equal(
        Server.upstream_got(),
        {"model": Server.text_model, "temperature": 0.2, "messages": [system, *QUESTION]},
    )


@check("chat: names a preset in a field that OpenAI does not have")
def _():
    Server.capture("openai-field", Server.text_model, temperature=0.7)
    client.chat.completions.create(model="vendor/other", messages=QUESTION, extra_body={"preset": "openai-field"})
    got = Server.upstream_got()
    equal((got["model"], got["temperature"]), ("vendor/other", 0.7))


@check("chat: streams an answer and its usage")
def _():
    model = Server.capture("openai-chat-stream", Server.text_model)
    options = {"include_usage": True}
    stream = client.chat.completions.create(
        model=model, messages=QUESTION, stream=True, stream_options=options
    )
    chunks = list(stream)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    equal(text, Server.spoken_text)
    assert chunks[-1].usage.total_tokens > 0


@check("chat: gets a tool call, in whole and in a stream")
def _():
    model = Server.capture("openai-chat-tool", Server.tool_model)
    call = client.chat.completions.create(model=model, messages=QUESTION).choices[0].message.tool_calls[0]
    equal((call.function.name, json.loads(call.function.arguments)), ("get_weather", {"city": "Zürich"}))
    with client.chat.completions.stream(model=model, messages=QUESTION) as stream:
        streamed = stream.get_final_completion().choices[0].message.tool_calls[0]
    equal((streamed.id, streamed.function.arguments), (call.id, call.function.arguments))


@check("chat: raises the errors of the upstream and of the server")
def _():
    with raises(openai.RateLimitError, 429) as caught:
        client.chat.completions.create(model=Server.limited_model, messages=QUESTION)
    assert "Slow down" in caught[0].message, caught[0].message
    with raises(openai.NotFoundError, 404):
        client.chat.completions.create(model="@preset/nowhere", messages=QUESTION)
    with raises(openai.AuthenticationError, 401):
        client.with_options(api_key="sk-unknown").chat.completions.create(model="m", messages=QUESTION)


@check("chat: sends requests from an asyncio program")
def _():
    model = Server.capture("openai-async", Server.text_model)

    async def ask():
        async with openai.AsyncOpenAI(api_key=Server.api_key, base_url=Server.api_url) as asynchronous:
            return await asynchronous.chat.completions.create(model=model, messages=QUESTION)

    equal(asyncio.run(ask()).choices[0].message.content, Server.spoken_text)


@check("responses: calls a reusable prompt of OpenAI by its id, unchanged")
def _():
    prompt = {"messages": [{"role": "system", "content": "Answer {{customer}}."}]}
    variables = {"customer": {"type": "string"}}
    for _ in range(2):
        Server.capture("pmpt_68a1", Server.text_model, **prompt, presetd={"variables": variables})
    reference = {"id": "pmpt_68a1", "version": "2", "variables": {"customer": "Ada {{x}}"}}
    answer = client.responses.with_raw_response.create(prompt=reference, input="Hi")
    equal(answer.headers["x-presetd-preset"], "pmpt_68a1@2")
    equal(answer.parse().output_text, Server.spoken_text)
    equal(
        Server.upstream_got(),
        {"model": Server.text_model, "instructions": "Answer Ada {{x}}.", "input": "Hi"},
    )
    events = client.responses.create(prompt=reference, input="Hi", stream=True)
    deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
    equal("".join(deltas), Server.spoken_text)
    with raises(openai.BadRequestError, 400) as caught:
        client.responses.create(prompt={"id": "pmpt_68a1"}, input="Hi")
    assert "customer" in caught[0].message, caught[0].message


@check("responses: sends a request with a preset")
def _():
    model = Server.capture("openai-responses", Server.text_model)
    equal(client.responses.create(model=model, input="Will it rain?").output_text, Server.spoken_text)
    expected = {"model": Server.text_model, "instructions": "You are terse.", "input": "Will it rain?"}
    equal(Server.upstream_got(), expected)


@check("responses: streams an answer")
def _():
    model = Server.capture("openai-responses-stream", Server.text_model)
    with client.responses.stream(model=model, input="Will it rain?") as stream:
        deltas = [event.delta for event in stream if event.type == "response.output_text.delta"]
        final = stream.get_final_response()
    equal(("".join(deltas), final.output_text), (Server.spoken_text, Server.spoken_text))


@check("responses: gets a tool call, in whole and in a stream")
def _():
    model = Server.capture("openai-responses-tool", Server.tool_model)
    call = client.responses.create(model=model, input="Will it rain?").output[0]
    equal((call.name, json.loads(call.arguments)), ("get_weather", {"city": "Zürich"}))
    with client.responses.stream(model=model, input="Will it rain?") as stream:
        streamed = stream.get_final_response().output[0]
    equal((streamed.name, streamed.arguments), (call.name, call.arguments))


@check("responses: raises the errors of the upstream and of the server")
def _():
    with raises(openai.RateLimitError, 429):
        client.responses.create(model=Server.limited_model, input="Will it rain?")
    with raises(openai.NotFoundError, 404):
        client.responses.create(model="@preset/nowhere", input="Will it rain?")


@check("embeddings: takes the model from a preset")
def _():
    model = Server.capture("openai-vectors", Server.text_model, temperature=0.2)
    answer = client.embeddings.with_raw_response.create(model=model, input=["rain", "sun"])
    equal(answer.headers["x-presetd-preset"], "openai-vectors@1")
    got = Server.upstream_got()
    equal((got["model"], got["input"]), (Server.text_model, ["rain", "sun"]))
    assert "temperature" not in got


@check("audio: transcribes a file with a preset")
def _():
    model = Server.capture("openai-audio", Server.text_model)
    file = ('Zürich "1".mp3', b"\0\r\n--\xff", "audio/mpeg")
    answer = client.audio.transcriptions.with_raw_response.create(model=model, file=file, language="de")
    equal((answer.status_code, answer.headers["x-presetd-preset"]), (200, "openai-audio@1"))


@check("models: lists the presets as models")
def _():
    model = Server.capture("openai-listed", Server.text_model)
    assert model in [listed.id for listed in client.models.list()]


@check("models: retrieves a preset as a model, and a version of it")
def _():
    model = Server.capture("openai-retrieved", Server.text_model)
    equal(client.models.retrieve(model).id, model)
    equal(client.models.retrieve(f"{model}@1").id, f"{model}@1")
    with raises(openai.NotFoundError, 404):
        client.models.retrieve("@preset/nowhere")


run_checks()
