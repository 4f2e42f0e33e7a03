"""With Python 3.8 or newer, and curl to scrub. README.md says what the commands do:
python3 suppressions.py check ada@example.com
"""

import base64
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import subprocess
import sys
import time
import urllib.error
import urllib.request


def call(path, body=None):
    request = urllib.request.Request(
        os.environ["SUPPRESSIONS_URL"] + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Authorization": "Bearer " + os.environ["SUPPRESSIONS_API_KEY"],
            "Content-Type": "application/json",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{error.code} {error.read().decode()}")


def add(*emails):
    for suppression in call("/suppressions/batch/add", {"emails": emails})["data"]:
        print(suppression["id"])


def check(*emails):
    """For a newsletter, add its "topic" to the question; for a password reset, "transactional": True."""
    for result in call("/suppressions/check", {"emails": emails})["data"]:
        print(result["email"], result["verdict"], sep="\t")


def scrub(file, clean_file):
    """curl reads the result while it sends the file; urllib and requests send everything first.

    If the connection is cut, the beginning of the result stays in a file of another name, as does a refusal.
    """
    key = os.environ["SUPPRESSIONS_API_KEY"]
    command = ["curl", "--silent", "--show-error", "--fail-with-body", "--config", "-", "--request", "POST"]
    command += ["--header", "Content-Type: text/csv", "--upload-file", file, "--output", clean_file + ".part"]
    command += [os.environ["SUPPRESSIONS_URL"] + "/scrubs"]
    subprocess.run(command, input=f'header = "Authorization: Bearer {key}"', text=True, check=True)
    os.replace(clean_file + ".part", clean_file)


def changes(cursor_file):
    stored = pathlib.Path(cursor_file)
    has_more = True
    while has_more:
        after = "&after=" + stored.read_text() if stored.exists() else ""
        page = call("/changes?limit=1000" + after)
        for change in page["data"]:
            print(change["type"], change["email"], sep="\t")  # your work, which must be safe to repeat
        new = pathlib.Path(cursor_file + ".new")
        new.write_text(page["cursor"])
        new.replace(stored)
        has_more = page["has_more"]


def verify(id, timestamp, signatures):
    body = sys.stdin.buffer.read()
    key = base64.b64decode(os.environ["SIGNING_SECRET"].replace("whsec_", ""))
    signed = f"{id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    is_signed = any(hmac.compare_digest(expected, signature) for signature in signatures.split(" "))
    if not is_signed or abs(time.time() - int(timestamp)) > 300:
        raise SystemExit("The event is not signed by the service, or too old.")
    print(json.loads(body)["type"])


COMMANDS = {command.__name__: command for command in (add, check, scrub, changes, verify)}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        print("usage:", " | ".join(COMMANDS), file=sys.stderr)
        sys.exit(2)
    try:
        COMMANDS[sys.argv[1]](*sys.argv[2:])
    except subprocess.CalledProcessError:
        sys.exit(1)  # curl has said why
    except (OSError, ValueError, http.client.HTTPException) as error:
        sys.exit(str(error))
