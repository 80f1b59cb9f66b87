# Renders templates with Jinja2, one JSON line {"t": template, "c": context} after the other,
# and answers each with {"out": text} or {"error": message}.
import json
import sys

import jinja2

env = jinja2.Environment(undefined=jinja2.StrictUndefined, extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"])
for line in sys.stdin:
    case = json.loads(line)
    try:
        answer = {"out": env.from_string(case["t"]).render(case["c"])}
    except Exception as error:  # each kind of failure counts as one
        answer = {"error": "%s: %s" % (type(error).__name__, error)}
    print(json.dumps(answer), flush=True)
