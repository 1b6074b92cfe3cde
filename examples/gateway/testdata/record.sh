#!/bin/bash
# Records traffic.pcap anew: real programs in two network namespaces joined by
# a veth pair. Needs root on Debian with the packages
#   iproute2 ethtool tcpdump dnsmasq-base dnsutils python3 curl openssh-server
#   openssh-client iperf3 iputils-ping wireshark-common
# Usage: ./record.sh [OUTPUT.pcap]
set -euo pipefail

out=$(realpath "${1:-$(dirname "$0")/traffic.pcap}")
client=sbcap-client-$$
server=sbcap-server-$$
dir=$(mktemp -d)
pids=()

cleanup() {
	for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
	wait 2>/dev/null || true
	ip netns del "$client" 2>/dev/null || true
	ip netns del "$server" 2>/dev/null || true
	rm -rf "$dir"
}
trap cleanup EXIT

on_client() { ip netns exec "$client" "$@"; }
on_server() { ip netns exec "$server" "$@"; }

# Starts a program in the server's namespace and keeps its process id.
serve() {
	ip netns exec "$server" "$@" >"$dir/log.${#pids[@]}" 2>&1 &
	pids+=($!)
}

wait_for() {
	for _ in $(seq 100); do
		if on_server ss -Hlntu "sport = :$1" | grep -q .; then return; fi
		sleep 0.1
	done
	echo "record.sh: nothing listens on port $1" >&2
	exit 1
}

# One side of the link. A packet of 1400 bytes leaves room for the tunnel's
# headers. Without offloads every packet is one frame with its own checksum.
side() {
	ip -n "$1" link set lo up
	ip -n "$1" addr add "192.0.2.$2/24" dev lan
	ip -n "$1" addr add "2001:db8::$2/64" dev lan nodad
	ip -n "$1" link set lan mtu 1400 up
	ip netns exec "$1" ethtool -K lan rx off tx off tso off gso off gro off >/dev/null
}

link() {
	ip netns add "$client"
	ip netns add "$server"
	ip -n "$client" link add lan type veth peer name lan netns "$server"
	side "$client" 1
	side "$server" 2
}

servers() {
	mkdir "$dir/www" "$dir/ssh"
	seq 1 70000 >"$dir/www/numbers.txt"
	seq 1 25000 >"$dir/www/fewer.txt"
	serve dnsmasq --keep-in-foreground --no-resolv --no-hosts --no-daemon --user=root --pid-file="$dir/dnsmasq.pid" \
		--host-record=www.example.com,192.0.2.2,2001:db8::2 --address=/example.net/192.0.2.9 \
		--txt-record=example.com,"v=spf1 -all" --mx-host=example.com,mail.example.com,10
	serve /usr/bin/python3 -m http.server --directory "$dir/www" --bind :: 80
	serve iperf3 --server
	ssh-keygen -q -t ed25519 -N '' -f "$dir/ssh/host"
	ssh-keygen -q -t ed25519 -N '' -f "$dir/ssh/user"
	mkdir -p /run/sshd
	serve /usr/sbin/sshd -D -e -f /dev/null -h "$dir/ssh/host" -o UsePAM=no -o StrictModes=no \
		-o PidFile=none -o AuthorizedKeysFile="$dir/ssh/user.pub"
	for port in 53 80 5201 22; do wait_for $port; done
}

dns() { # DESTINATION NAMES
	for i in $(seq "$2"); do
		on_client dig "@$1" +tries=1 "host$i.example.net" A
		on_client dig "@$1" +tries=1 www.example.com AAAA
		on_client dig "@$1" +tries=1 example.com TXT
	done
	on_client dig "@$1" example.com MX
	on_client dig "@$1" +tcp example.com TXT
	on_client dig "@$1" missing.example.com A
}

# Somebody types into a remote terminal, and each key comes back.
keys() { # DESTINATION COUNT
	for i in $(seq "$2"); do
		printf '%s' "$((i % 10))"
		if ((i % 40 == 0)); then printf '\n'; fi
		sleep 0.01
	done | on_client ssh -tt -i "$dir/ssh/user" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null \
		-o LogLevel=ERROR -o IdentitiesOnly=yes "root@$1" "head -c $(($2 + $2 / 40))"
}

traffic() {
	on_client ping -q -c 10 -i 0.05 192.0.2.2
	on_client ping -q -c 10 -i 0.05 -s 1352 2001:db8::2
	dns 192.0.2.2 30
	dns 2001:db8::2 15
	on_client curl -sSo /dev/null http://192.0.2.2/numbers.txt
	on_client curl -sSo /dev/null 'http://[2001:db8::2]/fewer.txt'
	on_client curl -sSo /dev/null http://192.0.2.2/missing.txt
	keys 192.0.2.2 400
	keys 2001:db8::2 120
	on_client iperf3 -c 192.0.2.2 --repeating-payload --bytes 450K
	on_client iperf3 -c 2001:db8::2 --repeating-payload --bytes 150K --reverse
	on_client iperf3 -c 192.0.2.2 --repeating-payload --udp --length 172 --bitrate 70K --time 6
}

link
servers
# Only packets that a tunnel for IP can carry, and no link-local chatter.
ip netns exec "$client" tcpdump -i lan -s 65535 -w "$dir/traffic.pcap" -U -Z root \
	'net 192.0.2.0/24 and ip or net 2001:db8::/32' 2>"$dir/tcpdump.log" &
capture=$!
pids+=($capture)
until grep -q 'listening on' "$dir/tcpdump.log"; do sleep 0.1; done
traffic >"$dir/traffic.log"
sleep 0.5
kill "$capture"
wait "$capture"
grep 'dropped by kernel' "$dir/tcpdump.log"
cp "$dir/traffic.pcap" "$out"
capinfos -c -s -t -E -u "$out"
