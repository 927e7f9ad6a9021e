"""Runs scripts of this folder one after the other, in one process: the SDKs take seconds to import.

The only argument is JSON: a list of scripts, each with its environment.
"""

import json
import os
import runpy
import sys
from pathlib import Path

for run in json.loads(sys.argv[1]):
    os.environ.update(run["environment"])
    # The checks of a script, and the server that its environment names.
    sys.modules.pop("checks", None)
    runpy.run_path(str(Path(__file__).with_name(run["script"])), run_name="__main__")
