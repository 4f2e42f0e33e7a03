"""Runs the events of cases.json against django-anymail: see driver/runner.js."""
import json
import sys

import django
from django.conf import settings

settings.configure(INSTALLED_APPS=["anymail"], ANYMAIL={"WEBHOOK_SECRET": "name:secret"})
django.setup()
from anymail.signals import AnymailTrackingEvent, tracking  # noqa: E402
from anymail.webhooks.postmark import PostmarkTrackingWebhookView  # noqa: E402
from django.test import RequestFactory  # noqa: E402
import suppression_list_events  # noqa: E402

tracking.connect(suppression_list_events.report_event)
receive = PostmarkTrackingWebhookView.as_view()

for line in sys.stdin:
    question = json.loads(line)
    settings.SUPPRESSION_LIST = {"URL": question["url"], "API_KEY": question["apiKey"]}
    answer = {"error": None}
    try:
        if "anymail" in question:
            event = question["anymail"]
            tracking.send(None, esp_name=event.pop("esp_name"), event=AnymailTrackingEvent(**event))
        else:
            request = RequestFactory().post(
                "/anymail/postmark/tracking/",
                json.dumps(question["postmark"]),
                content_type="application/json",
                HTTP_AUTHORIZATION="Basic bmFtZTpzZWNyZXQ=",
            )
            receive(request)
    except Exception as error:
        answer = {"error": repr(error)}
    print(json.dumps(answer, separators=(",", ":")), flush=True)
