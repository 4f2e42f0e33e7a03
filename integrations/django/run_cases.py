"""Runs the cases of cases.json against Django: see driver/runner.js."""
import email.message
import email.policy
import json
import pickle
import sys

import django
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.mail import EmailMessage
from django.core.mail.backends.smtp import EmailBackend

mode = sys.argv[1]
settings.configure(INSTALLED_APPS=["anymail"] if "anymail" in mode else [], POSTMARK_SERVER_TOKEN="token")
django.setup()
import suppression_list  # noqa: E402

if mode == "anymail-pre-send":
    from anymail.signals import pre_send

    pre_send.connect(suppression_list.check_before_anymail_sends)


class EmailMessageOfDjango6(EmailMessage):
    """Builds a message as Django 6 does, which Debian does not have: with a policy of the module email."""

    def message(self, *, policy=email.policy.default):
        built = email.message.EmailMessage(policy=policy)
        for name, value in super().message().items():
            if not name.lower().startswith(("content-", "mime-")):
                built[name] = value
        built.replace_header("Subject", "Viele Grüße " * 10)
        built.set_content(self.body)
        as_bytes = built.as_bytes
        built.as_bytes = lambda linesep: with_short_lines(as_bytes())
        return built


class QueueBackend(EmailBackend):
    """Stores messages before it sends them, as the backend of a queue does."""

    def send_messages(self, email_messages):
        for message in email_messages:
            message.connection = None
        return super().send_messages(pickle.loads(pickle.dumps(email_messages)))


def with_short_lines(written):
    """Python breaks lines after 78 characters, and only that of a link may be longer."""
    header, _, _ = written.partition(b"\n\n")
    too_long = [line for line in header.split(b"\n") if len(line) > 78 and not line.startswith(b"List-Unsubscribe:")]
    assert not too_long, too_long
    return written


def send(options, mail, smtp, api):
    names = {"url": "URL", "apiKey": "API_KEY", "onUnavailable": "ON_UNAVAILABLE", "onSuppressed": "ON_SUPPRESSED"}
    names.update({"purpose": "PURPOSE", "timeoutMs": "TIMEOUT_MS"})
    settings.SUPPRESSION_LIST = {names.get(name, name): value for name, value in options.items() if value is not None}
    settings.EMAIL_HOST, settings.EMAIL_PORT = smtp["host"], smtp["port"]
    settings.ANYMAIL = {"POSTMARK_API_URL": api}
    settings.EMAIL_BACKEND = "suppression_list.EmailBackend"
    if mode == "backend-6":
        settings.SUPPRESSION_LIST["BACKEND"] = "__main__.QueueBackend"
    elif mode == "anymail-backend":
        settings.SUPPRESSION_LIST["BACKEND"] = "anymail.backends.postmark.EmailBackend"
    elif mode == "anymail-pre-send":
        settings.EMAIL_BACKEND = "anymail.backends.postmark.EmailBackend"
    fields = {name: mail[name] for name in ("to", "cc", "bcc", "headers")}
    message_class = EmailMessageOfDjango6 if mode == "backend-6" else EmailMessage
    message = message_class(mail["subject"], mail["text"], mail["from"], **fields)
    message.send()
    if mode == "anymail-backend" and message.recipients() and not hasattr(message, "anymail_status"):
        print("no anymail_status", file=sys.stderr)


for line in sys.stdin:
    answer = {"error": None}
    try:
        send(**json.loads(line))
    except suppression_list.RecipientsSuppressed as error:
        answer = {"error": "suppressed", "message": str(error)}
    except suppression_list.SuppressionListUnavailable as error:
        answer = {"error": "unavailable", "message": str(error)}
    except ImproperlyConfigured as error:
        answer = {"error": "configuration", "message": str(error)}
    except Exception as error:
        answer = {"error": repr(error)}
    print(json.dumps(answer, separators=(",", ":")), flush=True)
