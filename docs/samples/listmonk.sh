#!/usr/bin/env bash
# Passes suppressions on to listmonk, whose bounce webhook blocklists their subscribers. Run it every few minutes, with the file
# that stores its cursor: ./listmonk.sh /var/lib/listmonk-suppressions/cursor. ../recipes.md describes the settings.
set -euo pipefail
cursor_file=$1

# Other people on this machine can read the options of a command, so keys and addresses are not among them.
call() {
  curl --silent --show-error --fail-with-body --max-time 10 \
    --config <(printf 'header = "Authorization: Bearer %s"\n' "$SUPPRESSIONS_API_KEY") "${@:2}" "$SUPPRESSIONS_URL$1"
}

# An address may have been removed since, so this asks which ones of a page are still suppressed.
find_bounces() {
  local listed
  listed=$(jq --compact-output '[.data[] | select(.suppression)]')
  if [ "$listed" = '[]' ]; then return; fi
  jq --compact-output '{emails: map(.email)}' <<<"$listed" | call /suppressions/check --json @- |
    jq --compact-output --slurpfile listed <(printf '%s' "$listed") '
      [$listed[0], .data] | transpose[] | select(.[1].verdict == "suppressed") | .[0] | {
        email,
        type: (if .causes | index("complaint") then "complaint" else "hard" end),
        source: "suppressions",
        created_at,
        meta: {suppression: .suppression.id, causes}
      }'
}

post_bounce() {
  curl --silent --show-error --max-time 10 --output /dev/null --write-out '%{http_code}' \
    --config <(jq --raw-output --null-input '"user = " + (env.LISTMONK_API_USER + ":" + env.LISTMONK_API_TOKEN | tojson)') \
    --json @- "$LISTMONK_URL/webhooks/bounce" <<<"$1"
}

while true; do
  after=
  if [ -f "$cursor_file" ]; then after="&after=$(cat "$cursor_file")"; fi
  page=$(call "/changes?limit=1000$after")
  find_bounces <<<"$page" | while IFS= read -r bounce; do
    status=$(post_bounce "$bounce")
    case $status in
    200) ;;
    400) echo 'listmonk refused an address, which is skipped.' >&2 ;;
    *) echo "listmonk responded $status." >&2 && exit 1 ;;
    esac
  done
  jq --raw-output .cursor <<<"$page" >"$cursor_file.new"
  mv "$cursor_file.new" "$cursor_file"
  jq --exit-status .has_more <<<"$page" >/dev/null || break
done
