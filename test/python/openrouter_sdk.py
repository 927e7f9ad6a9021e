"""The official OpenRouter SDK, as its users call it."""

import asyncio
import datetime
import json
import time

from checks import Server, check, equal, raises, run_checks
from model_examples import examples_of, is_nullable
from openrouter import OpenRouter, components, errors


def client(key=Server.api_key):
    # By default the SDK retries a 5xx response for up to an hour.
    return OpenRouter(api_key=key, server_url=Server.api_url, retry_config=None)


api = client()
manager = client(Server.management_key)


def assert_complete(answer, optional=()):
    """Every field that the SDK's model has is in the answer, not just the required ones."""
    missing = set(type(answer).model_fields) - answer.model_fields_set - set(optional)
    assert not missing, f"{type(answer).__name__} has no {sorted(missing)}"


# Keys


@check("keys: reads the API key that the client has")
def _():
    key = api.api_keys.get_current_key_metadata().data
    assert_complete(key)
    equal((key.is_management_key, key.budgets, key.effective_budget), (False, [], None))
    assert key.workspace_id and key.organization_id


@check("keys: reads the management key that the client has")
def _():
    key = manager.api_keys.get_current_key_metadata().data
    assert_complete(key)
    equal((key.is_management_key, key.workspace_id), (True, None))


@check("keys: creates a key that works, lists it, and gets it")
def _():
    created = manager.api_keys.create(name="From Python", limit=None)
    assert_complete(created.data)
    equal(client(created.key).api_keys.get_current_key_metadata().data.label, created.data.label)
    listed = manager.api_keys.list().data
    assert_complete(listed[0])
    assert created.data.hash in [key.hash for key in listed]
    got = manager.api_keys.get(hash=created.data.hash).data
    assert_complete(got)
    equal((got.name, got.disabled), ("From Python", False))


@check("keys: renames and disables a key")
def _():
    created = manager.api_keys.create(name="Before")
    updated = manager.api_keys.update(hash=created.data.hash, name="After", disabled=True).data
    assert_complete(updated)
    equal((updated.name, updated.disabled), ("After", True))
    with raises(errors.UnauthorizedResponseError, 401):
        client(created.key).api_keys.get_current_key_metadata()


@check("keys: moves a key to another workspace")
def _():
    workspace = manager.workspaces.create(name="Destination", slug="key-destination").data
    created = manager.api_keys.create(name="Mover")
    moved = manager.api_keys.update(hash=created.data.hash, workspace_id=workspace.id).data
    equal(moved.workspace_id, workspace.id)
    equal(client(created.key).api_keys.get_current_key_metadata().data.workspace_id, workspace.id)


@check("keys: deletes a key")
def _():
    created = manager.api_keys.create(name="Short-lived")
    manager.api_keys.delete(hash=created.data.hash)
    with raises(errors.NotFoundResponseError, 404):
        manager.api_keys.get(hash=created.data.hash)


@check("keys: limits what a key can spend, and shows what is left")
def _():
    created = manager.api_keys.create(name="Limited", limit=5, limit_reset="weekly")
    equal((created.data.limit, created.data.limit_remaining, created.data.limit_reset), (5, 5, "weekly"))
    current = client(created.key).api_keys.get_current_key_metadata().data
    assert_complete(current)
    equal([budget.scope for budget in current.budgets], ["key_limit"])
    equal(current.effective_budget.limit_usd, 5)
    updated = manager.api_keys.update(hash=created.data.hash, limit=2.5).data
    equal((updated.limit, updated.limit_reset), (2.5, "weekly"))


@check("keys: raises BadRequestResponseError for a limit that cannot be stored")
def _():
    with raises(errors.BadRequestResponseError, 400) as caught:
        manager.api_keys.create(name="Limited", limit=0.1 + 0.2)
    assert "at most 9 decimals" in caught[0].message, caught[0].message


# Workspaces and the organization


@check("workspaces: creates, gets, updates, lists and deletes a workspace")
def _():
    created = manager.workspaces.create(name="Python", slug="python", description="A team").data
    assert_complete(created)
    equal(manager.workspaces.get(id="python").data.id, created.id)
    updated = manager.workspaces.update(id=created.id, name="Snakes", description=None).data
    assert_complete(updated)
    equal((updated.name, updated.description), ("Snakes", None))
    page = manager.workspaces.list(limit=100)
    assert_complete(page.result.data[0])
    assert created.id in [workspace.id for workspace in page.result.data]
    manager.workspaces.delete(id=created.id)
    with raises(errors.NotFoundResponseError, 404):
        manager.workspaces.get(id=created.id)


@check("workspaces: removes, adds and lists members")
def _():
    workspace = manager.workspaces.create(name="Crew", slug="crew").data
    creator = manager.workspaces.list_members(id="crew").result.data[0]
    assert_complete(creator)
    removed = manager.workspaces.bulk_remove_members(id=workspace.id, user_ids=[creator.user_id])
    equal(removed.removed_count, 1)
    added = manager.workspaces.bulk_add_members(id=workspace.id, user_ids=[creator.user_id])
    equal((added.added_count, added.data[0].user_id), (1, creator.user_id))


@check("organization: lists the members page by page")
def _():
    member = {"email": "python@example.com", "first_name": "Py"}
    response = Server.request("POST", "/organization/members", member, Server.management_key)
    equal(response.status_code, 201)
    page = manager.organization.list_members(limit=1)
    emails = []
    while page is not None:
        for person in page.result.data:
            assert_complete(person)
            emails.append(person.email)
        page = page.next()
    assert len(emails) == 2 and "python@example.com" in emails, emails


@check("organization: raises UnauthorizedResponseError for an API key")
def _():
    with raises(errors.UnauthorizedResponseError, 401):
        api.organization.list_members()


# Presets

DEFERRED_TOOLS = {
    "profile": "portable",
    "protocol": "v1",
    "search": {"type": "bm25"},
    "validation": "runtime",
}


@check("presets: creates a preset from a chat request")
def _():
    preset = api.presets.create_presets_chat_completions(
        slug="from-chat",
        model="vendor/model",
        messages=[{"role": "system", "content": "You are terse."}, {"role": "user", "content": "Hi"}],
        temperature=0.2,
        deferred_tools=DEFERRED_TOOLS,
    ).data
    assert_complete(preset)
    version = preset.designated_version
    assert_complete(version)
    equal((version.version, version.system_prompt), (1, "You are terse."))
    expected = {"model": "vendor/model", "temperature": 0.2, "deferred_tools": DEFERRED_TOOLS}
    equal(version.config, expected)


@check("presets: creates a preset from a messages request")
def _():
    version = api.presets.create_presets_messages(
        slug="from-messages",
        model="vendor/model",
        max_tokens=300,
        system="You are terse.",
        messages=[{"role": "user", "content": "Hi"}],
        deferred_tools=DEFERRED_TOOLS,
    ).data.designated_version
    equal(version.system_prompt, "You are terse.")
    expected = {"model": "vendor/model", "max_tokens": 300, "deferred_tools": DEFERRED_TOOLS}
    equal(version.config, expected)


@check("presets: creates a preset from a responses request")
def _():
    version = api.presets.create_presets_responses(
        slug="from-responses",
        model="vendor/model",
        instructions="You are terse.",
        input="Hi",
        stop=["END"],
        deferred_tools=DEFERRED_TOOLS,
    ).data.designated_version
    equal(version.system_prompt, "You are terse.")
    equal(
        version.config,
        {
            "model": "vendor/model",
            "stop": ["END"],
            "deferred_tools": DEFERRED_TOOLS,
            # The SDK sends its default.
            "service_tier": "auto",
        },
    )


@check("presets: gets a preset, its versions and one version")
def _():
    Server.capture("versioned", "vendor/first")
    Server.capture("versioned", "vendor/second")
    preset = api.presets.get(slug="versioned").data
    assert_complete(preset)
    equal(preset.designated_version.config["model"], "vendor/second")
    versions = api.presets.list_versions(slug="versioned").result.data
    equal([version.config["model"] for version in versions], ["vendor/first", "vendor/second"])
    first = api.presets.get_version(slug="versioned", version="1").data
    assert_complete(first)
    equal((first.version, first.config["model"]), (1, "vendor/first"))


@check("presets: lists the presets page by page")
def _():
    for slug in ["listed-a", "listed-b"]:
        Server.capture(slug, "vendor/model")
    page, slugs = api.presets.list(limit=1), []
    while page is not None:
        for preset in page.result.data:
            assert_complete(preset)
            slugs.append(preset.slug)
        page = page.next()
    assert {"listed-a", "listed-b"} <= set(slugs) and len(slugs) == len(set(slugs)), slugs


@check("presets: raises the error of the status that the server answers")
def _():
    with raises(errors.NotFoundResponseError, 404):
        api.presets.get(slug="nowhere")
    with raises(errors.UnauthorizedResponseError, 401):
        client("sk-unknown").presets.get(slug="nowhere")
    with raises(errors.BadRequestResponseError, 400) as caught:
        api.presets.create_presets_chat_completions(
            slug="hot", temperature=3, messages=[{"role": "user", "content": "Hi"}]
        )
    assert "/temperature" in caught[0].message, caught[0].message


# Inference

QUESTION = [{"role": "user", "content": "Will it rain?"}]


@check("chat: sends a request with a preset")
def _():
    model = Server.capture("chat", Server.text_model, temperature=0.2)
    answer = api.chat.send(model=model, messages=QUESTION)
    equal(answer.choices[0].message.content, Server.spoken_text)
    equal(
        Server.upstream_got(),
        {
            "model": Server.text_model,
            "temperature": 0.2,
            "messages": [{"role": "system", "content": "You are terse."}, *QUESTION],
            "stream": False,
        },
    )


@check("chat: streams an answer")
def _():
    model = Server.capture("chat-stream", Server.text_model)
    with api.chat.send(model=model, messages=QUESTION, stream=True) as stream:
        chunks = [chunk for chunk in stream]
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    equal(text, Server.spoken_text)


@check("chat: gets a tool call, in whole and in a stream")
def _():
    model = Server.capture("chat-tool", Server.tool_model)
    call = api.chat.send(model=model, messages=QUESTION).choices[0].message.tool_calls[0]
    equal((call.function.name, json.loads(call.function.arguments)), ("get_weather", {"city": "Zürich"}))
    with api.chat.send(model=model, messages=QUESTION, stream=True) as stream:
        calls = [call for chunk in stream for choice in chunk.choices for call in choice.delta.tool_calls or []]
    arguments = "".join(call.function.arguments or "" for call in calls if call.function)
    equal((calls[0].function.name, json.loads(arguments)), ("get_weather", {"city": "Zürich"}))


@check("chat: raises the errors of the upstream and of the server")
def _():
    with raises(errors.TooManyRequestsResponseError, 429) as caught:
        api.chat.send(model=Server.limited_model, messages=QUESTION)
    assert "Slow down" in caught[0].message, caught[0].message
    with raises(errors.NotFoundResponseError, 404):
        api.chat.send(model="@preset/nowhere", messages=QUESTION)


@check("chat: sends requests from an asyncio program")
def _():
    model = Server.capture("chat-async", Server.text_model)

    async def ask():
        async with client() as asynchronous:
            return await asynchronous.chat.send_async(model=model, messages=QUESTION)

    equal(asyncio.run(ask()).choices[0].message.content, Server.spoken_text)


@check("responses: sends a request with a preset")
def _():
    model = Server.capture("responses", Server.text_model, stop="END")
    answer = api.responses.send(model=model, input="Will it rain?")
    equal(answer.output[0].content[0].text, Server.spoken_text)
    got = Server.upstream_got()
    equal((got["model"], got["instructions"]), (Server.text_model, "You are terse."))
    # Captured from a chat request, and translated.
    equal(got["stop"], ["END"])


@check("responses: streams an answer")
def _():
    model = Server.capture("responses-stream", Server.text_model)
    with api.responses.send(model=model, input="Will it rain?", stream=True) as stream:
        events = [event for event in stream]
    text = "".join(event.delta for event in events if event.type == "response.output_text.delta")
    equal((text, events[-1].type), (Server.spoken_text, "response.completed"))


@check("responses: gets a tool call, in whole and in a stream")
def _():
    model = Server.capture("responses-tool", Server.tool_model)
    call = api.responses.send(model=model, input="Will it rain?").output[0]
    equal((call.name, json.loads(call.arguments)), ("get_weather", {"city": "Zürich"}))
    with api.responses.send(model=model, input="Will it rain?", stream=True) as stream:
        *_, last = stream
    equal(last.response.output[0].name, "get_weather")


@check("responses: raises the errors of the upstream and of the server")
def _():
    with raises(errors.TooManyRequestsResponseError, 429):
        api.responses.send(model=Server.limited_model, input="Will it rain?")
    with raises(errors.NotFoundResponseError, 404):
        api.responses.send(model="@preset/nowhere", input="Will it rain?")


# Usage


def recorded_generation(generation_id, preset_id):
    """A call is recorded within a second of its end. The upstream gives all its responses the same id."""
    for _ in range(100):
        generation = api.generations.get_generation(id=generation_id).data
        if generation.preset_id == preset_id:
            return generation
        time.sleep(0.1)
    raise AssertionError(f"{generation_id} is not recorded for the preset")


@check("usage: reads a generation by the id of its response")
def _():
    model = Server.capture("usage", Server.text_model)
    answer = api.chat.send(model=model, messages=QUESTION)
    generation = recorded_generation(answer.id, manager.presets.get(slug="usage").data.id)
    assert_complete(generation)
    equal((generation.upstream_id, generation.streamed, generation.cancelled), (answer.id, False, False))
    counted = (generation.tokens_prompt, generation.tokens_completion)
    equal(counted, (answer.usage.prompt_tokens, answer.usage.completion_tokens))


@check("content: reads what a call said, once its workspace logs it")
def _():
    manager.workspaces.update(id="default", is_observability_io_logging_enabled=True)
    try:
        # The upstream gives all its responses the same id, so presetd's own is needed.
        sent = Server.request(
            "POST", "/chat/completions", {"model": Server.text_model, "messages": QUESTION}, Server.api_key
        )
        generation_id = sent.headers["x-generation-id"]
    finally:
        manager.workspaces.update(id="default", is_observability_io_logging_enabled=False)
    content = logged_content(generation_id)
    assert_complete(content)
    assert_complete(content.output)
    equal((content.output.completion, content.output.reasoning), (Server.spoken_text, None))
    equal([message["role"] for message in content.input.messages], ["user"])
    equal(content.error, None)
    # The SDK has the models of this operation, and no method yet.
    report = components.SubmitGenerationFeedbackRequest(
        generation_id=generation_id, category="latency", comment="Slow"
    )
    reported = Server.request("POST", "/generation/feedback", report.model_dump(), Server.api_key)
    answer = components.SubmitGenerationFeedbackResponse.model_validate(reported.json())
    equal(answer.data.SUCCESS, True)
    with raises(errors.UnauthorizedResponseError, 401):
        api.generations.list_generation_content(id=generation_id)


def logged_content(generation_id):
    """Content is stored within a second or so."""
    for _ in range(100):
        try:
            return manager.generations.list_generation_content(id=generation_id).data
        except errors.NotFoundResponseError:
            time.sleep(0.1)
    raise AssertionError(f"the content of {generation_id} is not stored")


@check("usage: queries what the metadata lists, and every dimension")
def _():
    meta = manager.analytics.get_analytics_meta().data
    assert_complete(meta)
    result = manager.analytics.query_analytics(
        metrics=[metric.name for metric in meta.metrics],
        dimensions=["preset", "preset_version"],
        filters=[{"field": "preset", "operator": "eq", "value": "usage"}],
        granularity="day",
        order_by={"field": "date", "direction": "desc"},
        limit=10,
    ).data
    assert_complete(result, optional=["cached_at", "warnings"])
    assert_complete(result.metadata)
    # The SDK's model of a row has no fields.
    equal((len(result.data), result.metadata.row_count), (1, 1))
    for dimension in meta.dimensions:
        manager.analytics.query_analytics(metrics=["request_count"], dimensions=[dimension.name])


@check("usage: raises BadRequestResponseError for a metric that does not exist")
def _():
    with raises(errors.BadRequestResponseError, 400) as caught:
        manager.analytics.query_analytics(metrics=["happiness"])
    assert "request_count" in caught[0].message, caught[0].message


@check("usage: reads the activity of completed days and of a day, and the credits")
def _():
    equal(manager.analytics.get_user_activity().data, [])
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    item = manager.analytics.get_user_activity(request={"date_": today, "group_by": "workspace"}).data[0]
    assert_complete(item)
    credits = manager.credits.get_credits().data
    assert_complete(credits)
    equal(credits.total_credits, credits.total_usage)


@check("models: lists the presets as models")
def _():
    model = Server.capture("as-a-model", Server.text_model)
    assert model in [listed.id for listed in api.models.list().result.data]
    assert model in [listed.id for listed in api.models.list_for_user(security={"bearer": Server.api_key}).result.data]


@check("models: gets a preset as a model, with its endpoints")
def _():
    Server.capture("as-one-model", Server.text_model)
    equal(api.models.get(author="@preset", slug="as-one-model").data.id, "@preset/as-one-model")
    equal(api.endpoints.list(author="@preset", slug="as-one-model").data.id, "@preset/as-one-model")
    assert api.models.count().data.count > 0
    equal([provider.name for provider in api.providers.list().data], ["openrouter"])
    with raises(errors.NotFoundResponseError, 404):
        api.models.get(author="@preset", slug="nowhere")


# Fields. The captures are dry runs, so that hundreds of them leave nothing behind.


def assert_every_field_is_known(model, path, base):
    for name, field in model.model_fields.items():
        wire_name = field.alias or name
        for example in with_joined_lists(examples_of(field.annotation)):
            if example is None and not is_nullable(field.annotation):
                continue
            body = {**base, wire_name: within_bounds(example)}
            # The SDK takes it. It is sent as it is, since the SDK's serializer loses `fallbacks` and `safeguards`.
            model.model_validate(body)
            answer = Server.request("POST", f"/presets/fields{path}", body, query={"dry_run": "true"})
            assert answer.status_code == 200, f"{json.dumps(body)}\n{answer.text}"
            unknown = [left["field"] for left in answer.json()["left_out"] if left["reason"] == "unknown"]
            equal(unknown, [])


def with_joined_lists(examples):
    """One list with the items of all: otherwise two thirds of the requests would differ in one item only."""
    lists = [example for example in examples if isinstance(example, list)]
    others = [example for example in examples if not isinstance(example, list)]
    return [*others, [item for items in lists for item in items]] if lists else others


def within_bounds(example):
    """The SDK leaves this bound of the API to the server."""
    if isinstance(example, dict) and isinstance(example.get("task_budget"), dict):
        return {**example, "task_budget": {**example["task_budget"], "total": 20_000}}
    return example


@check("fields: presetd accepts and knows every field of a chat request")
def _():
    base = {"messages": [{"role": "user", "content": "Hi"}]}
    assert_every_field_is_known(components.ChatRequest, "/chat/completions", base)


@check("fields: presetd accepts and knows every field of a messages request")
def _():
    base = {"model": "vendor/model", "messages": [{"role": "user", "content": "Hi"}]}
    assert_every_field_is_known(components.MessagesRequest, "/messages", base)


@check("fields: presetd accepts and knows every field of a responses request")
def _():
    assert_every_field_is_known(components.ResponsesRequest, "/responses", {})


run_checks()
