# For scripts that try a server at $addr: they source this file.

# wait_until_ready waits until the server answers /readyz. When the process $1 ends before, or it takes too long, it prints the files
# $2... and fails.
wait_until_ready() {
	local pid=$1
	shift
	for _ in $(seq 300); do
		curl -sf "http://$addr/readyz" >/dev/null && return
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.2
	done
	cat "$@" >&2
	return 1
}

# call_api calls the path $2 with the token $1 and further arguments of curl.
call_api() { curl -sSf "http://$addr$2" -H "Authorization: Bearer $1" "${@:3}"; }

# require_issue fails unless the list of issues has the text $2.
require_issue() { call_api "$1" /v1/issues | grep -q "$2"; }

# send_event makes a project with the token $1, sends an event with the text $2 to it, and requires its issue.
send_event() {
	local key
	key=$(call_api "$1" /v1/projects -X POST -H 'Content-Type: application/json' -d '{"name":"shop"}' |
		sed -n 's/.*"dsn":"http:\/\/\([0-9a-f]*\)@.*/\1/p')
	curl -sSf -X POST "http://$addr/v1/ingest" -H "X-Service-Key: $key" -H 'Content-Type: application/json' -d "{\"message\":\"$2\"}" >/dev/null
	require_issue "$1" "$2"
}
