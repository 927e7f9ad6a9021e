"""A client that openapi-python-client has generated from our OpenAPI document."""

import importlib
import io
import json
import os
import pkgutil
import sys

from checks import Server, check, equal, run_checks

sys.path.insert(0, os.environ["CLIENT_FOLDER"])

import presetd_client
from presetd_client import AuthenticatedClient, models
from presetd_client.api.inference import send_chat_completion_request
from presetd_client.api.keys import create_key, get_current_key, update_key
from presetd_client.api.presets import (
    create_presets_chat_completions,
    export_presets,
    get_preset,
    import_presets,
    list_presets,
)
from presetd_client.api.workspaces import create_workspace, update_workspace
from presetd_client.types import File

api = AuthenticatedClient(base_url=Server.url, token=Server.api_key)
manager = AuthenticatedClient(base_url=Server.url, token=Server.management_key)


def modules():
    return pkgutil.walk_packages(presetd_client.__path__, "presetd_client.")


def chat_request(**fields):
    messages = [{"role": "system", "content": "You are terse."}, {"role": "user", "content": "Hello"}]
    return models.ChatCompletionsRequest.from_dict({"model": "vendor/model", "messages": messages, **fields})


@check("has a function for every operation of the document")
def _():
    with open(os.environ["OPENAPI_DOCUMENT"]) as file:
        document = json.load(file)
    operations = [operation["operationId"] for path in document["paths"].values() for operation in path.values()]
    functions = [module.name.rsplit(".", 1)[1] for module in modules() if module.name.count(".") == 3]
    # The generator writes setLabel as set_label.
    written = sorted(name.replace("_", "") for name in functions)
    equal(written, sorted(operation.lower() for operation in operations))


@check("imports every module")
def _():
    for module in modules():
        importlib.import_module(module.name)


@check("reads the key of the client")
def _():
    key = get_current_key.sync(client=api).data
    equal((key.is_management_key, key.budgets, key.effective_budget), (False, [], None))


@check("creates and changes a key")
def _():
    made = create_key.sync(client=manager, body=models.NewKey(name="Generated", include_byok_in_limit=False))
    assert isinstance(made, models.CreateKeyResponse201), made
    changed = update_key.sync(client=manager, hash_=str(made.data.hash_), body=models.KeyEdit(disabled=True))
    equal(changed.data.disabled, True)


@check("creates and changes a workspace")
def _():
    body = models.NewWorkspace(name="Generated", slug="generated", disabled_server_tools=[])
    made = create_workspace.sync(client=manager, body=body)
    assert isinstance(made, models.CreateWorkspaceResponse201), made
    body = models.WorkspaceEdit(description="A team", io_logging_sampling_rate=1)
    changed = update_workspace.sync(client=manager, id=str(made.data.id), body=body)
    equal(changed.data.description, "A team")


@check("creates a preset, reads it and lists it")
def _():
    body = chat_request(image_config=[1], temperature=0.2)
    made = create_presets_chat_completions.sync(client=api, slug="generated", body=body)
    equal(made.data.designated_version.system_prompt, "You are terse.")
    read = get_preset.sync(client=api, slug="generated").data
    config = {"model": "vendor/model", "image_config": [1], "temperature": 0.2}
    equal(read.designated_version.config.to_dict(), config)
    equal([preset.slug for preset in list_presets.sync(client=api).data], ["generated"])


@check("exports presets and imports them again")
def _():
    create_presets_chat_completions.sync(client=api, slug="exported", body=chat_request())
    exported = export_presets.sync_detailed(client=api).content
    imported = import_presets.sync_detailed(client=api, body=File(payload=io.BytesIO(exported)))
    equal(imported.status_code, 200)


@check("sends a chat request with a preset")
def _():
    create_presets_chat_completions.sync(client=api, slug="called", body=chat_request())
    messages = [{"role": "user", "content": "Will it rain?"}]
    call = models.ChatCompletionsCall(model="@preset/called", messages=messages)
    answer = send_chat_completion_request.sync_detailed(client=api, body=call)
    equal(json.loads(answer.content)["choices"][0]["message"]["content"], Server.spoken_text)


run_checks()
