"""Runs the cases of cases.json against the Resend client for Python: see driver/runner.js."""
import asyncio
import json
import sys

import resend
from suppression_list import RecipientsSuppressed, SuppressionList, SuppressionListUnavailable

resend.api_key = "re_key"
NAMES = {"apiKey": "api_key", "onUnavailable": "on_unavailable", "onSuppressed": "on_suppressed", "timeoutMs": "timeout_ms"}


def send(options, mail, smtp, api):
    resend.api_url = api
    settings = {NAMES.get(name, name): value for name, value in options.items() if value is not None}
    emails = SuppressionList(**settings)
    if "--batch" in sys.argv:
        emails.send_batch([mail])
    elif "--async" in sys.argv:
        asyncio.run(emails.send_async(mail))
    else:
        emails.send(mail)


for line in sys.stdin:
    answer = {"error": None}
    try:
        send(**json.loads(line))
    except RecipientsSuppressed as error:
        answer = {"error": "suppressed", "message": str(error)}
    except SuppressionListUnavailable as error:
        answer = {"error": "unavailable", "message": str(error)}
    except (TypeError, ValueError) as error:
        answer = {"error": "configuration", "message": str(error)}
    except Exception as error:
        answer = {"error": repr(error)}
    print(json.dumps(answer, separators=(",", ":")), flush=True)
