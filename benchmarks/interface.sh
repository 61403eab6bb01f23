#!/bin/sh
# Take the server's only network interface away and give it back: is it reached and announced again?
# Needs root and iproute2; makes a network namespace of its own and removes it.
#     benchmarks/interface.sh [DATA_DIR]
set -eu
cd "$(dirname "$0")/.."
data=${1:-data}
space=cosyvoice-wyoming
log=$(mktemp)

inside() { ip netns exec "$space" "$@"; }
answers() { .venv/bin/cosyvoice-wyoming health --uri tcp://10.231.7.2:10377; }
announcements() { grep -c "announced as" "$log" || true; }
clean() {
    [ -z "${server:-}" ] || kill "$server" 2>/dev/null || true
    ip netns del "$space" 2>/dev/null || true
    rm -f "$log"
}
trap clean EXIT
fail() {
    echo "FAILED: $1" >&2
    cat "$log" >&2
    exit 1
}

ip netns add "$space"
ip link add cvw-host type veth peer name cvw-home netns "$space"
ip addr add 10.231.7.1/24 dev cvw-host
ip link set cvw-host up
inside ip link set lo up
inside ip addr add 10.231.7.2/24 dev cvw-home
inside ip link set cvw-home up
ip netns exec "$space" .venv/bin/cosyvoice-wyoming serve --uri tcp://:10377 --data-dir "$data" \
    2>"$log" &
server=$!

sleep 8
answers || fail "it does not answer"
[ "$(announcements)" = 1 ] || fail "it was not announced"
inside ip link set cvw-home down
inside ip addr flush dev cvw-home
sleep 35 # longer than the announcer looks away
! answers 2>/dev/null || fail "it answers without a network"
inside ip addr add 10.231.7.2/24 dev cvw-home
inside ip link set cvw-home up
sleep 2
answers || fail "it does not answer 2 s after its interface came back"
sleep 40
[ "$(announcements)" = 2 ] || fail "it was not announced again within 40 s"
kill "$server"
wait "$server" || fail "it did not end with status 0"
server=
echo "held: reached 2 s after the interface came back, announced again within 40 s, status 0"
