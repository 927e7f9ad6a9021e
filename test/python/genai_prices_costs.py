"""Prints what the Python library of list prices says that models cost, as one JSON object per line.

The only argument is JSON: the ids of the library's providers, usages with the names of its fields, and the
time of the call. test/compat/python-list-prices.test.ts compares the costs with presetd's.
"""

import json
import sys
from datetime import datetime
from decimal import Decimal

from genai_prices import Usage, calc_price
from genai_prices.data_snapshot import get_snapshot

asked = json.loads(sys.argv[1])
at = datetime.fromisoformat(asked["at"])


def nanos(usage, model, provider):
    """Billionths of a dollar; None if the library cannot price the call."""
    try:
        price = calc_price(Usage(**usage), model, provider_id=provider, genai_request_timestamp=at)
    except (LookupError, ValueError):
        return None
    return str(price.total_price * Decimal(10**9))


for provider in get_snapshot().providers:
    if provider.id in asked["providers"]:
        for model in provider.models:
            costs = [nanos(usage, model.id, provider.id) for usage in asked["usages"]]
            print(json.dumps({"provider": provider.id, "model": model.id, "nanos": costs}))
