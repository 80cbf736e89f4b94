#!/bin/sh
# The size of the minimal in-cluster watch next to a program that only sends
# one GET over TLS. Fails above the bar.
set -eu
cd "$(dirname "$0")/.."
bar=7 # per cent
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for p in internal/get minimal; do
	CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o "$out/$(basename "$p")" "./examples/$p"
done
get=$(wc -c <"$out/get") minimal=$(wc -c <"$out/minimal")
echo "one GET over TLS: $get bytes; minimal watch: $minimal bytes, $(((minimal - get) * 1000 / get)) per mille more"
if [ $(((minimal - get) * 100)) -gt $((get * bar)) ]; then
	echo "more than $bar % more" >&2
	exit 1
fi
