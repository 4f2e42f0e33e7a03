# What the steps of .ci share. Sourced by them.

# Lists the skipped steps, for the end of .ci/run.
skipped=${SKIPPED_STEPS:-/dev/null}

# Says loudly that a step was skipped. With REQUIRE_ALL_STEPS=true a skipped step fails.
skip() {
  printf '\n*** SKIPPED: %s. ***\n\n' "$1" >&2
  echo "$1" >>"$skipped"
  [ "${REQUIRE_ALL_STEPS:-}" != true ] || exit 1
}

# Installs Debian packages, one step at a time. Fails if the package lists can be read and a package still cannot be installed.
# Returns 1 where nothing can be installed: without root, apt-get, or a mirror.
install() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
  exec 9>/run/lock/suppression-list-ci
  flock 9
  apt-get update -qq || { exec 9>&-; return 1; }
  apt-get install -y -qq --no-install-recommends "$@" >/dev/null || { echo "cannot install $*" >&2; exit 1; }
  exec 9>&-
}
