#!/usr/bin/env bash
# With curl and jq, and openssl to verify. README.md says what the commands do:
#   ./suppressions.sh check ada@example.com
set -euo pipefail

# The key comes from a file, because other people on this machine can read the options of a command.
request() {
  curl --silent --show-error --fail-with-body \
    --config <(printf 'header = "Authorization: Bearer %s"\n' "$SUPPRESSIONS_API_KEY") "$@"
}

call() {
  local response
  response=$(request --max-time 10 "${@:2}" "$SUPPRESSIONS_URL$1") || {
    printf '%s\n' "$response" >&2
    return 1
  }
  printf '%s\n' "$response"
}

emails() {
  jq --null-input --compact-output '{emails: $ARGS.positional}' --args "$@"
}

add() {
  call /suppressions/batch/add --json "$(emails "$@")" | jq --raw-output '.data[].id'
}

# For a newsletter, add its "topic" to the question; for a password reset, "transactional": true.
check() {
  call /suppressions/check --json "$(emails "$@")" | jq --raw-output '.data[] | [.email, .verdict] | @tsv'
}

# If the connection is cut, the beginning of the result stays in a file of another name, as does a refusal.
scrub() {
  request --request POST --upload-file "$1" --header 'Content-Type: text/csv' --output "$2.part" \
    "$SUPPRESSIONS_URL/scrubs"
  mv "$2.part" "$2"
}

changes() {
  local page after=
  while true; do
    if [ -f "$1" ]; then after="&after=$(cat "$1")"; fi
    page=$(call "/changes?limit=1000$after")
    jq --raw-output '.data[] | [.type, .email] | @tsv' <<<"$page" # your work, which must be safe to repeat
    jq --raw-output .cursor <<<"$page" >"$1.new"
    mv "$1.new" "$1"
    jq --exit-status .has_more <<<"$page" >/dev/null || break
  done
}

# openssl takes the key as an option, so use another language where other people can list processes.
verify() {
  local id=$1 timestamp=$2 signatures=$3 body key expected
  body=$(cat && echo .) # the dot keeps newlines at the end
  key=$(base64 --decode <<<"${SIGNING_SECRET#whsec_}" | od -An -v -tx1 | tr -d ' \n')
  expected=$(printf '%s' "$id.$timestamp.${body%.}" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)
  # In arithmetic, bash runs commands in a text. The signature does not say where the timestamp begins and ends.
  if ! [[ $timestamp =~ ^[1-9][0-9]{0,11}$ ]] || (($(date +%s) - timestamp > 300 || timestamp - $(date +%s) > 300)) ||
    ! tr ' ' '\n' <<<"$signatures" | grep --quiet --line-regexp --fixed-strings "v1,$expected"; then
    echo 'The event is not signed by the service, or too old.' >&2
    return 1
  fi
  jq --raw-output .type <<<"${body%.}"
}

case ${1-} in
add | check | scrub | changes | verify) "$@" ;;
*)
  echo 'usage: add | check | scrub | changes | verify' >&2
  exit 2
  ;;
esac
