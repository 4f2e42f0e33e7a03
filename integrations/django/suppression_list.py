"""
Asks the suppression list before Django sends an email. Works with Django 3.2 and newer. Copy this file beside manage.py:

    # settings.py
    EMAIL_BACKEND = "suppression_list.EmailBackend"
    SUPPRESSION_LIST = {
        "URL": "https://suppressions.example.com",
        "API_KEY": os.environ["SUPPRESSIONS_API_KEY"],
        "ON_UNAVAILABLE": "throw",
        "BACKEND": "django.core.mail.backends.smtp.EmailBackend",  # sends what the list allows
    }

With django-anymail, either name its backend as BACKEND, or keep it as EMAIL_BACKEND and connect the signal:

    pre_send.connect(suppression_list.check_before_anymail_sends)

To set the purpose of an email: EmailMessage(..., headers={"X-Suppression-Purpose": "transactional"}).
integrations/README.md describes the settings and what they do.
"""
import copy
import functools
import inspect
import json
import logging
import time
import urllib.error
import urllib.request
from email.utils import parseaddr

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.mail import get_connection
from django.core.mail.backends.base import BaseEmailBackend

logger = logging.getLogger(__name__)

PURPOSE_HEADER = "x-suppression-purpose"
MAX_ADDRESSES = 1000
MAX_LINE_LENGTH = 998  # RFC 5322, section 2.1.1


class RecipientsSuppressed(Exception):
    """The email was refused, because ON_SUPPRESSED is "throw"."""

    def __init__(self, recipients):
        super().__init__(f"The email was not sent to anybody. Suppressed recipients: {len(recipients)}.")
        self.recipients = recipients


class SuppressionListUnavailable(Exception):
    """The email was not sent, because ON_UNAVAILABLE is "throw"."""


class EmailBackend(BaseEmailBackend):
    """Hands emails to another backend, without their suppressed recipients."""

    def __init__(self, fail_silently=False, **kwargs):
        super().__init__(fail_silently=fail_silently)
        self.list = SuppressionList()
        self.inner = get_connection(self.list.backend, fail_silently=fail_silently, **kwargs)

    def open(self):
        return self.inner.open()

    def close(self):
        self.inner.close()

    def send_messages(self, email_messages):
        kept = []
        for original in email_messages or []:
            # The caller may send the original again.
            message = copy.copy(original)
            try:
                if self.list.apply(message):
                    keep_link_on_one_line(message)
                    kept.append((original, message))
            except (RecipientsSuppressed, SuppressionListUnavailable):
                if not self.fail_silently:
                    raise
        sent = self.inner.send_messages([message for _, message in kept]) if kept else 0
        for original, message in kept:
            if hasattr(message, "anymail_status"):
                original.anymail_status = message.anymail_status
        return sent


def keep_link_on_one_line(message):
    """
    Django 6 and newer would split an unsubscribe link into encoded words, in which mail programs find no link (RFC 2047,
    section 5).
    """
    if "policy" in inspect.signature(message.message).parameters:
        message.message = functools.partial(write_with_link, message.message)


def write_with_link(write, **options):
    written = write(**options)
    link = written["List-Unsubscribe"]
    if hasattr(link, "fold"):
        fold = link.fold
        link.fold = lambda policy: fold(policy=policy.clone(max_line_length=MAX_LINE_LENGTH))
    return written


def check_before_anymail_sends(sender, message, **kwargs):
    """A receiver of anymail's signal pre_send."""
    from anymail.exceptions import AnymailCancelSend

    if not SuppressionList().apply(message):
        raise AnymailCancelSend("All recipients are suppressed.")


class SuppressionList:
    def __init__(self):
        options = dict(getattr(settings, "SUPPRESSION_LIST", {}))
        try:
            self.url = options.pop("URL").rstrip("/") + "/suppressions/check"
            self.api_key = options.pop("API_KEY")
        except KeyError as error:
            raise ImproperlyConfigured(f"SUPPRESSION_LIST needs {error}.") from None
        self.on_unavailable = options.pop("ON_UNAVAILABLE", None)
        self.on_suppressed = options.pop("ON_SUPPRESSED", "drop")
        self.purpose = options.pop("PURPOSE", "any")
        self.timeout_ms = options.pop("TIMEOUT_MS", 2000)
        self.backend = options.pop("BACKEND", "django.core.mail.backends.smtp.EmailBackend")
        if self.on_unavailable not in ("send", "throw"):
            raise ImproperlyConfigured(
                'Set ON_UNAVAILABLE in SUPPRESSION_LIST to "send" or "throw": what to do if the list is unavailable.'
            )
        if self.on_suppressed not in ("drop", "throw"):
            raise ImproperlyConfigured('ON_SUPPRESSED in SUPPRESSION_LIST must be "drop" or "throw".')
        if options:
            raise ImproperlyConfigured(f"SUPPRESSION_LIST has unknown settings: {', '.join(options)}.")

    def apply(self, message):
        """Drops the suppressed recipients of a message, and its header for the purpose. False if nobody is left."""
        headers = {name.lower(): value for name, value in message.extra_headers.items()}
        # Remembered for a caller who sends the same message again.
        purpose = message.suppression_purpose = (
            headers.get(PURPOSE_HEADER) or getattr(message, "suppression_purpose", None) or self.purpose
        )
        message.extra_headers = {
            name: value for name, value in message.extra_headers.items() if name.lower() != PURPOSE_HEADER
        }
        emails = list(dict.fromkeys(address_of(recipient) for recipient in message.recipients()))
        suppressed, links = self.check(emails, purpose, len(emails) == 1 and "list-unsubscribe" not in headers)
        if suppressed and self.on_suppressed == "throw":
            raise RecipientsSuppressed(suppressed)
        for field in ("to", "cc", "bcc"):
            recipients = getattr(message, field)
            setattr(message, field, [each for each in recipients if address_of(each) not in suppressed])
        message.extra_headers.update(links)
        return bool(message.recipients()) or not suppressed

    def check(self, emails, purpose, wants_links):
        """Returns which addresses are suppressed, and the headers of the only recipient's unsubscribe link."""
        suppressed, links = set(), {}
        try:
            for first in range(0, len(emails), MAX_ADDRESSES):
                batch = emails[first : first + MAX_ADDRESSES]
                results = self.request(batch, purpose, wants_links and purpose != "transactional")
                suppressed.update(email for email, result in zip(batch, results) if result["verdict"] == "suppressed")
                links = results[0].get("unsubscribe", {}).get("headers", {})
        except Exception as error:
            problem = str(error) if isinstance(error, (CheckFailed, OSError)) else "an unexpected response"
            reason = f"{self.url}: {problem}"
            if self.on_unavailable == "throw":
                raise SuppressionListUnavailable(
                    f"The suppression list could not be asked ({reason}), so the email was not sent."
                ) from None
            logger.warning("The suppression list could not be asked (%s). The email is sent without a check.", reason)
        return suppressed, links

    def request(self, emails, purpose, wants_links):
        body = {"emails": emails}
        if purpose != "any":
            body.update({"transactional": True} if purpose == "transactional" else {"topic": purpose})
        if wants_links:
            body["include"] = ["unsubscribe"]
        headers = {"Authorization": f"Bearer {self.api_key}", "Content-Type": "application/json"}
        status, answer = self.post(urllib.request.Request(self.url, json.dumps(body).encode(), headers))
        if wants_links and status == 422:  # The service has no PUBLIC_URL yet, so there are no links.
            return self.request(emails, purpose, False)
        if status != 200:
            code = answer.get("code", "") if isinstance(answer, dict) else ""
            raise CheckFailed(f"HTTP {status} {code}".strip())
        if len(answer["data"]) != len(emails) or not all(result["verdict"] for result in answer["data"]):
            raise ValueError
        return answer["data"]

    def post(self, request):
        seconds = self.timeout_ms / 1000
        deadline = time.monotonic() + seconds
        try:
            response = urllib.request.urlopen(request, timeout=seconds)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            text = b""
            while part := response.read1(65536):  # The timeout of urlopen() is that of each read.
                text += part
                if time.monotonic() > deadline:
                    raise CheckFailed(f"no response within {self.timeout_ms} ms")
        try:
            return response.status, json.loads(text)
        except ValueError:
            return response.status, None


class CheckFailed(Exception):
    """The check failed for this reason."""


def address_of(recipient):
    return parseaddr(str(recipient))[1]
