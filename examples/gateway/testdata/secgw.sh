#!/bin/sh
# Builds DPDK's example ipsec-secgw, which no package brings, from the source of the
# installed libdpdk-dev, and prints where the program is. A second call prints it at once.
#
#   secgw.sh              builds it, unless it is there
#   secgw.sh -built       fails if it is not there
#
# It lies in ~/.cache/sealburst/secgw, or below XDG_CACHE_HOME.
# Debian and Ubuntu; needs libdpdk-dev, gcc, make, pkg-config and apt, but not root. About
# half a minute. The virtual devices have no receive offloads, so the example must not ask
# for any.
set -eu
version=$(dpkg-query -W -f '${source:Version}' libdpdk-dev)
folder=${XDG_CACHE_HOME:-$HOME/.cache}/sealburst/secgw/$version
program=$folder/ipsec-secgw
if [ -x "$program" ]; then
	echo "$program"
	exit 0
fi
[ "${1:-}" != -built ] || exit 1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$folder" "$work/lists/partial"
# The machine's own sources of packages, asked for source packages.
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
	[ -e "$list" ] && sed -n 's/^deb /deb-src /p' "$list" >>"$work/src.list"
done
for list in /etc/apt/sources.list.d/*.sources; do
	[ -e "$list" ] && { sed 's/^Types:.*/Types: deb-src/' "$list"; echo; } >>"$work/src.sources"
done
for list in "$work/src.list" "$work/src.sources"; do
	[ -s "$list" ] || continue
	set -- -q -o "Dir::Etc::sourcelist=$list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$work/lists" \
		-o "Dir::Cache=$work" -o APT::Sandbox::User=root
	apt-get "$@" update >"$work/log" 2>&1
	(cd "$work" && apt-get "$@" source --download-only "dpdk=$version" >>"$work/log" 2>&1) || continue
	break
done
archive=$(ls "$work"/dpdk_*.orig.tar.* 2>/dev/null) || { cat "$work/log" >&2; exit 1; }
tar -C "$work" -xf "$archive" --wildcards '*/examples/ipsec-secgw' '*/examples/common'
cd "$work"/*/examples/ipsec-secgw
sed -i 's/\.offloads = RTE_ETH_RX_OFFLOAD_CHECKSUM/.offloads = 0/' ipsec-secgw.c
grep -q '\.offloads = 0,' ipsec-secgw.c
make shared >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
cp -L build/ipsec-secgw "$program.new"
mv "$program.new" "$program"
echo "$program"
