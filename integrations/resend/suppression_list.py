"""
Asks the suppression list before the official Resend client for Python sends an email. Copy this file into your project:

    from suppression_list import SuppressionList

    emails = SuppressionList(
        url="https://suppressions.example.com",
        api_key=os.environ["SUPPRESSIONS_API_KEY"],
        on_unavailable="throw",
    )
    emails.send({"from": sender, "to": to, "bcc": bcc, "subject": subject, "text": text})  # like resend.Emails.send

To set the purpose of an email, add {"X-Suppression-Purpose": "transactional"} to its headers.
integrations/README.md describes the options and what they do.
"""
import asyncio
import json
import logging
import re
import time

import requests
import resend

logger = logging.getLogger(__name__)

PURPOSE_HEADER = "x-suppression-purpose"
MAX_ADDRESSES = 1000


class RecipientsSuppressed(Exception):
    """The email was refused, because on_suppressed is "throw"."""

    def __init__(self, recipients):
        super().__init__(f"The email was not sent to anybody. Suppressed recipients: {len(recipients)}.")
        self.recipients = recipients


class SuppressionListUnavailable(Exception):
    """The email was not sent, because on_unavailable is "throw"."""


class CheckFailed(Exception):
    """The check failed for this reason."""


class SuppressionList:
    def __init__(self, *, url, api_key, on_unavailable, on_suppressed="drop", purpose="any", timeout_ms=2000):
        if on_unavailable not in ("send", "throw"):
            raise ValueError('Set on_unavailable to "send" or "throw": what to do if the list is unavailable.')
        if on_suppressed not in ("drop", "throw"):
            raise ValueError('on_suppressed must be "drop" or "throw".')
        self.url = url.rstrip("/") + "/suppressions/check"
        self.api_key = api_key
        self.on_unavailable = on_unavailable
        self.on_suppressed = on_suppressed
        self.purpose = purpose
        self.timeout_ms = timeout_ms

    def send(self, params, options=None):
        """Like resend.Emails.send. None if nobody is left."""
        checked = self.apply(params)
        return checked and resend.Emails.send(checked, options)

    async def send_async(self, params, options=None):
        """Like resend.Emails.send_async. None if nobody is left."""
        checked = await asyncio.to_thread(self.apply, params)
        return checked and await resend.Emails.send_async(checked, options)

    def send_batch(self, params, options=None):
        """Like resend.Batch.send, without the emails to nobody. None if none is left."""
        checked = [each for each in map(self.apply, params) if each]
        return resend.Batch.send(checked, options) if checked else None

    def apply(self, params):
        """An email without its suppressed recipients and its header for the purpose. None if nobody is left."""
        stated = {name.lower(): value for name, value in (params.get("headers") or {}).items()}
        headers = {name: value for name, value in (params.get("headers") or {}).items() if name.lower() != PURPOSE_HEADER}
        recipients = {field: as_list(params.get(field)) for field in ("to", "cc", "bcc")}
        emails = list(dict.fromkeys(address_of(each) for field in recipients.values() for each in field))
        purpose = stated.get(PURPOSE_HEADER) or self.purpose
        suppressed, links = self.check(emails, purpose, len(emails) == 1 and "list-unsubscribe" not in stated)
        if suppressed and self.on_suppressed == "throw":
            raise RecipientsSuppressed(sorted(suppressed))
        to, cc, bcc = ([each for each in field if address_of(each) not in suppressed] for field in recipients.values())
        if suppressed and not (to or cc or bcc):
            return None
        # Resend requires a recipient in "to". If only those in "bcc" are left, none of them may see another one.
        if not to and cc:
            to, cc = cc, []
        elif not to and bcc:
            to, bcc = (bcc, []) if len(bcc) == 1 else ([params["from"]], bcc)
        return {**params, "to": to, "cc": cc, "bcc": bcc, "headers": {**headers, **links}}

    def check(self, emails, purpose, wants_links):
        """Returns which addresses are suppressed, and the headers of the only recipient's unsubscribe link."""
        suppressed, links = set(), {}
        try:
            for first in range(0, len(emails), MAX_ADDRESSES):
                batch = emails[first : first + MAX_ADDRESSES]
                results = self.request(batch, purpose, wants_links and purpose != "transactional")
                suppressed.update(email for email, result in zip(batch, results) if result["verdict"] == "suppressed")
                links = results[0].get("unsubscribe", {}).get("headers", {})
        except (CheckFailed, requests.RequestException) as error:
            timed_out = isinstance(error, requests.Timeout)
            reason = f"no response within {self.timeout_ms} ms" if timed_out else str(error)
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
        status, answer = self.post(body)
        if wants_links and status == 422:  # The service has no PUBLIC_URL yet, so there are no links.
            return self.request(emails, purpose, False)
        if status != 200:
            raise CheckFailed(f"HTTP {status} {answer.get('code', '')}".strip())
        results = answer.get("data")
        verdicts = [each.get("verdict") for each in results if isinstance(each, dict)] if isinstance(results, list) else []
        if len(verdicts) != len(emails) or not all(verdicts):
            raise CheckFailed("an unexpected response")
        return results

    def post(self, body):
        seconds = self.timeout_ms / 1000
        deadline = time.monotonic() + seconds
        headers = {"Authorization": f"Bearer {self.api_key}"}
        text = b""
        with requests.post(self.url, json=body, headers=headers, timeout=seconds, stream=True) as response:
            for part in response.iter_content(65536):  # The timeout of requests is that of each read.
                text += part
                if time.monotonic() > deadline:
                    raise requests.Timeout
        try:
            answer = json.loads(text)
        except ValueError:
            answer = None
        return response.status_code, answer if isinstance(answer, dict) else {}


def as_list(recipients):
    return [recipients] if isinstance(recipients, str) else list(recipients or [])


def address_of(recipient):
    """The address in "Ada <ada@example.com>"."""
    in_brackets = re.search(r"<([^<>]*)>\s*$", recipient)
    return (in_brackets[1] if in_brackets else recipient).strip()
