#!/bin/sh
# Installs presetd on a machine, step by step. The Dockerfile runs these steps, people can run them
# by hand, and test/proof/deployment.test.ts runs them all.
set -eu

usage() {
  cat >&2 <<'TEXT'
In a checkout:
  steps.sh fetch                          install the build dependencies
  steps.sh pack <folder>                  build the package into a new folder
  steps.sh install <folder> <app> [...]   unpack it into the new folder <app> and install the locked
                                          dependencies; further arguments go to npm
On the machine:
  steps.sh prepare <app> <data> <bin> <owner>   create the data folder and <bin>/presetd
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
