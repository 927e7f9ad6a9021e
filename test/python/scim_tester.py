"""Runs scim2-tester against a server, and prints one line of JSON per result."""

import json
import os

import httpx2
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server

http = httpx2.Client(
    base_url=f"{os.environ['PRESETD_URL']}/scim/v2",
    headers={"authorization": f"Bearer {os.environ['PRESETD_SCIM_TOKEN']}"},
    timeout=30,
)

for result in check_server(SyncSCIMClient(http)):
    line = {
        "status": result.status.name,
        "check": result.title,
        "resource": result.resource_type,
        "reason": result.reason,
    }
    print(json.dumps(line), flush=True)
