"""
Reports the bounces, complaints, and unsubscribes that django-anymail receives by webhook to the suppression list. Works with
every provider whose webhooks anymail reads. Copy this file beside suppression_list.py, whose settings it uses, give its API
key the scope events:write, and connect the signal, for example in the ready() of an AppConfig:

    tracking.connect(suppression_list_events.report_event)

If a report fails, the webhook gets a response of 500, and the provider tries again later.
"""
import json
import logging
import urllib.error
import urllib.request
import uuid

from django.conf import settings

logger = logging.getLogger(__name__)

TYPES = {"bounced": "bounce", "complained": "complaint", "unsubscribed": "unsubscribe"}
# Without the text of the mail server, these reasons of a bounce say nothing about the address.
REASONS_OF_THE_SENDER = ("blocked", "spam", "timed_out", "other")
TIMEOUT_SECONDS = 10


def report_event(sender, event, esp_name=None, **kwargs):
    """A receiver of anymail's signal tracking."""
    type = TYPES.get(event.event_type)
    diagnostic = diagnostic_of(event, esp_name)
    if not type or not event.recipient or (not diagnostic and event.reject_reason in REASONS_OF_THE_SENDER):
        return
    if conceals_recipient(event, esp_name) or is_filtered(event, esp_name):
        return
    report = {"type": type, "email": event.recipient}
    if event.timestamp:  # With a time, a repeated report has no effect.
        report["occurred_at"] = event.timestamp.isoformat()
    if type == "bounce" and diagnostic:  # The service judges by it whether the address is at fault.
        report["diagnostic"] = diagnostic[:1000]
    try:
        report["source_id"] = str(uuid.UUID(event.message_id))
    except (AttributeError, TypeError, ValueError):
        pass
    post(report)


def diagnostic_of(event, esp_name):
    if esp_name != "Mailjet":
        return event.mta_response or event.description
    # anymail leaves these out, and does not say that a bounce is soft.
    return ": ".join(filter(None, (event.esp_event.get("error"), event.esp_event.get("comment"))))


def conceals_recipient(event, esp_name):
    """
    Whether the event is about one of several recipients, and does not say which. For Resend, anymail then names the first one, and
    for a complaint of Amazon SES all who may have complained.
    """
    if esp_name == "Resend":
        data = event.esp_event["data"]
        return sum(len(data.get(field) or ()) for field in ("to", "cc", "bcc")) > 1
    if esp_name == "Amazon SES":
        return len(event.esp_event.get("complaint", {}).get("complainedRecipients", ())) > 1
    return False


def is_filtered(event, esp_name):
    """Whether a filter took the email for spam, and the recipient did not. For Postmark, anymail calls both a complaint."""
    return esp_name == "Postmark" and event.esp_event.get("Type") == "SpamNotification"


def post(report):
    options = settings.SUPPRESSION_LIST
    headers = {"Authorization": f"Bearer {options['API_KEY']}", "Content-Type": "application/json"}
    url = options["URL"].rstrip("/") + "/events"
    try:
        urllib.request.urlopen(
            urllib.request.Request(url, json.dumps(report).encode(), headers), timeout=TIMEOUT_SECONDS
        ).close()
    except urllib.error.HTTPError as error:
        if error.code != 400:
            raise
        logger.error("The suppression list refused an event of type %s (HTTP 400).", report["type"])
