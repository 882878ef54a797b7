#!/bin/sh
# 10^5 texts by two dozen tokenizers, against the real `tokenizers` and SentencePiece: tests/tokenizers.sh BUILD [MANY]. The
# maker of the goldens trains the tokenizers, in BUILD/tokenizers, a virtual environment; TUTTI_TOKENIZERS names another Python
# that has both. Without one it is skipped, by one line. SEED: of the texts.
B=${1:-build}; many=${2:-420}; dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
skip() { echo "skip: no Python with tokenizers: $1"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }
python=${TUTTI_TOKENIZERS:-$B/tokenizers/bin/python}
if [ -z "${TUTTI_TOKENIZERS:-}" ] && ! "$python" -c 'import tokenizers, sentencepiece' 2>/dev/null; then
    [ "${TUTTI_VENV:-}" = no ] && skip "TUTTI_VENV=no"
    python3 -c 'import ensurepip, venv' 2>/dev/null || skip "no python3 with venv"
    mkdir -p "$B"; rm -rf "$B/tokenizers"
    python3 -m venv "$B/tokenizers" >"$dir/log" 2>&1 || skip "no virtual environment: $(tail -n 1 "$dir/log")"
    "$B/tokenizers/bin/pip" install -q --retries 1 --timeout 15 --disable-pip-version-check --only-binary :all: \
        $(grep -E '^(tokenizers|sentencepiece|protobuf)' tests/goldens/make/requirements.txt) numpy >"$dir/log" 2>&1 ||
        { rm -rf "$B/tokenizers"; skip "no package index, or nothing in it for this Python"; }
fi
PYTHONDONTWRITEBYTECODE=1 "$python" tests/goldens/make/make.py "$dir" --many "$many" --seed "${SEED:-$(date +%Y%m%d)}" tokenizers \
    >"$dir/log" 2>&1 || { tail -n 5 "$dir/log"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
cat "$dir/log"
echo "volume $((10 * many * $(grep -c '"path"' "$dir/tokenizers/cases.json"))) texts to ids and back"
"$B/tests/oracle" "$dir" tokenizers
