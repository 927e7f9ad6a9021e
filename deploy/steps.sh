#!/bin/sh
# The steps that put presetd on a machine. The Dockerfile runs them, a person may, and test/proof/deployment.test.ts does.
set -eu

usage() {
  cat >&2 <<'TEXT'
In a checkout:
  steps.sh fetch                          install what is needed to build
  steps.sh pack <folder>                  build the package, into a new folder
  steps.sh install <folder> <app> [...]   unpack it as <app>, with the dependencies of the lockfile; the rest is for npm
On the machine:
  steps.sh prepare <app> <data> <bin> <owner>   make the folder of the data, and <bin>/presetd
TEXT
  exit 64
}

fetch() {
  npm ci
}

pack() {
  mkdir "$1"
  npm pack --silent --pack-destination "$1"
  cp package-lock.json "$1"
}

install() {
  package=$1 app=$2
  shift 2
  for archive in "$package"/presetd-*.tgz; do
    [ -f "$archive" ] || { echo "$package has no presetd-*.tgz: run \"steps.sh pack $package\" first." >&2; exit 66; }
  done
  mkdir "$app" "$app/deploy"
  tar -xzf "$archive" -C "$app" --strip-components=1
  cp "$package/package-lock.json" "$app"
  cp deploy/* "$app/deploy"
  (cd "$app" && npm ci --omit=dev --ignore-scripts --prefer-offline "$@")
}

prepare() {
  app=$1 data=$2 bin=$3 owner=$4
  mkdir -m 700 "$data"
  chown "$owner" "$data"
  ln -s "$app/bin/presetd.js" "$bin/presetd"
}

case "${1-} $#" in
  'fetch 1' | 'pack 2' | 'install 3' | 'prepare 5') "$@" ;;
  'install '[4-9]) "$@" ;;
  *) usage ;;
esac
