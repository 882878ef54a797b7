#!/bin/sh
# Where MNIST comes from: a local server that is whole, cut off, wrong or absent; a cache that cannot be written.
# usage: tests/download.sh [BUILD]. Needs python3 and curl (else skipped) and, for the whole files, TUTTI_DATA.
B=${1:-build}; P="$B/tests/mnist_source --source"; dir=$(mktemp -d); server=
trap '[ -n "$server" ] && kill $server 2>/dev/null; chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
p=0; f=0; s=0
ok() { name=$1; text=$2; shift 2; out=$("$@" 2>&1 </dev/null); if printf '%s' "$out" | grep -qF -- "$text"; then p=$((p+1)); else f=$((f+1)); echo "FAIL $name: expected \"$text\", printed: $out"; fi; }
none() { name=$1; if [ -z "$(ls -A "$2" 2>/dev/null)" ]; then p=$((p+1)); else f=$((f+1)); echo "FAIL $name: left behind: $(ls "$2")"; fi; }
if ! command -v python3 >/dev/null || ! command -v curl >/dev/null; then
    echo "skip: python3 and curl are needed"; echo "0 passed, 0 failed, 1 skipped"; exit 0
fi
full=${TUTTI_DATA:-}; unset TUTTI_DATA
export no_proxy=127.0.0.1 NO_PROXY=127.0.0.1
export XDG_CACHE_HOME="$dir/cache"
# serve HOW: a server on a port that the system chooses, which is its own; "nobody": the port is taken, and nobody answers
serve() {
    if [ -n "$server" ]; then kill $server 2>/dev/null; wait $server 2>/dev/null; fi
    rm -f "$dir/port"; python3 "$dir/serve.py" "$dir/port" "$1" >/dev/null 2>&1 & server=$!
    i=0; while ! [ -s "$dir/port" ] && [ $i -lt 1200 ]; do sleep 0.05; i=$((i+1)); done
    export TUTTI_DATA_URL="http://127.0.0.1:$(cat "$dir/port")"
}
cat >"$dir/serve.py" <<'PY'
import http.server, os, socket, sys, threading
tells, how = sys.argv[1], sys.argv[2]
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/": return self.send_error(404)
        if how == "wrong": body, cut = b"these are no digits", 0
        else:
            try: body = open(os.path.join(how.split(":", 1)[1], os.path.basename(self.path)), "rb").read()
            except OSError: return self.send_error(404)
            cut = len(body) // 2 if how.startswith("cut:") else 0
        self.send_response(200); self.send_header("Content-Length", str(len(body))); self.end_headers()
        self.wfile.write(body[:cut] if cut else body)
    def log_message(self, *a): pass
if how == "nobody":
    place = socket.socket()
    place.bind(("127.0.0.1", 0))
    port = place.getsockname()[1]
else:
    server = http.server.HTTPServer(("127.0.0.1", 0), H)
    port = server.server_address[1]
with open(tells + ".new", "w") as f: f.write(str(port))
os.rename(tells + ".new", tells)
threading.Event().wait() if how == "nobody" else server.serve_forever()
PY
serve nobody
ok "no network" "using the real subset" $P
serve wrong
ok "a wrong file" "the checksum is wrong" $P
ok "a wrong file, of which no status comes" "the checksum is wrong" sh -c "trap '' CHLD; exec $P"
none "a wrong file is deleted" "$dir/cache/tutti/mnist"
serve "cut:examples/data"; cp examples/data/train-images-idx3-ubyte.gz "$dir"
ok "a cut transfer" "the transfer was cut off" $P
none "a cut file is deleted" "$dir/cache/tutti/mnist"
serve "whole:$dir/nothing"
ok "no such file" "the server has no such file" $P
if [ -n "$full" ]; then
    serve "whole:$full/mnist"
    ok "a whole download" "60000 from $dir/cache/tutti/mnist" $P
    kill $server; server=
    ok "the cache" "60000 from $dir/cache/tutti/mnist" $P
    TUTTI_DATA=$full ok "TUTTI_DATA" "60000 from $full/mnist" env TUTTI_DATA="$full" $P
else echo "skip: the whole files (TUTTI_DATA is not set)"; s=$((s+1)); fi
# A cache that is a file, one that is read-only, one that is full: as small file systems, where a user may mount such.
: >"$dir/file"; XDG_CACHE_HOME="$dir/file" ok "a cache that cannot be made" "cannot be made" $P
mkdir "$dir/small"
within() { unshare -rm sh -c "mount -t tmpfs -o $1 tmpfs '$dir/small' && XDG_CACHE_HOME='$dir/small' exec $P"; }
if unshare -rm mount -t tmpfs tmpfs "$dir/small" 2>/dev/null; then
    ok "a read-only cache" "the cache $dir/small/tutti/mnist cannot be made: Read-only file system" within ro
    serve "whole:examples/data"
    ok "a full cache" "the cache cannot be written" within size=64k
else echo "skip: a read-only and a full cache (no file systems of one's own here)"; s=$((s+2)); fi
echo "$p passed, $f failed, $s skipped"
[ $f -eq 0 ]
