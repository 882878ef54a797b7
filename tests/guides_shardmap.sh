#!/bin/sh
# The twins of the guide to shard_map, data parallel and fully sharded training: texts are the guide's to the letter,
# numbers within the goldens' tolerance, seconds only in form; and each with other seeds and sizes, where the goldens say
# what comes out. usage: tests/guides_shardmap.sh [BUILD [long]]; long: the ResNet-18 on more images.
B=${1:-build}; G=$B/examples/guides; dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
p=0; f=0; s=0
unset TUTTI NO_COLOR
[ -n "$TUTTI_DATA" ] || export TUTTI_DATA_URL=http://127.0.0.1:9 XDG_CACHE_HOME="$dir"   # no download: what is shipped will do
good() { p=$((p+1)); }
bad() { f=$((f+1)); echo "FAIL $1: $2"; }
# runs NAME COMMAND...: its output goes to $dir/NAME
runs() { name=$1; shift; if "$@" >"$dir/$name" 2>"$dir/err" </dev/null; then good; else bad "$name" "status $?"; tail -n 5 "$dir/$name" "$dir/err"; fi; }
# has NAME: every line of stdin stands in $dir/NAME in one piece, in this order
has() {
    cat >"$dir/want"
    if awk 'NR == FNR { want[++n] = $0; next } { have[++m] = $0 }
            END { for (i = 1; i + n - 1 <= m; i++) { for (k = 0; k < n && have[i + k] == want[k + 1]; k++); if (k == n) exit 0 } exit 1 }' \
        "$dir/want" "$dir/$1"; then good; else bad "$1" "this does not stand in it:"; cat "$dir/want"; fi
}
# near NAME WORD NUMBER WITHIN: the number after WORD at the beginning of a line
near() {
    if awk -v w="$2" -v x="$3" -v d="$4" '$1 == w { y = $2; n++ } END { exit !(n > 0 && y - x <= d && x - y <= d) }' "$dir/$1"
    then good; else bad "$1" "$2 is not $3 within $4: $(grep "^$2" "$dir/$1")"; fi
}
like() { if grep -qE -- "$2" "$dir/$1"; then good; else bad "$1" "no line is like $2"; fi; }
same() { if cmp -s "$dir/$1" "$dir/$2"; then good; else bad "$1" "other lines than $2:"; diff "$dir/$1" "$dir/$2" | head -n 5; fi; }

# ---- shard_map ----
runs shardmap "$G/shardmap"
has shardmap <<'X'
┌───────┬───────┬───────┬───────┬───────┬───────┬───────┬───────┐
│ CPU 0 │ CPU 1 │ CPU 2 │ CPU 3 │ CPU 4 │ CPU 5 │ CPU 6 │ CPU 7 │
└───────┴───────┴───────┴───────┴───────┴───────┴───────┴───────┘
X
has shardmap <<'X'
Output shape (192, 128)
X
has shardmap <<'X'
Local x shape (48, 64)
Local w shape (64, 64)
Local b shape (64,)
Output shape (192, 128)
X
if awk '$1 == "Mean" { m = $2; n++ } END { exit !(n == 1 && m < 1e-7 && m > -1e-7) }' "$dir/shardmap"; then good; else bad shardmap "the mean is not 0 within 1e-7"; fi
like shardmap '^Std 1\.0$'
has shardmap <<'X'
Original w shape (16, 128)
Gathered w shape (64, 128)
Output [22 20 12 17]
Output [3 0 1 2]
Device 0: i-axis=0, j-axis=0
Device 1: i-axis=0, j-axis=1
Device 2: i-axis=1, j-axis=0
Device 3: i-axis=1, j-axis=1
Device 4: i-axis=2, j-axis=0
Device 5: i-axis=2, j-axis=1
Device 6: i-axis=3, j-axis=0
Device 7: i-axis=3, j-axis=1
Device 0: RNG=[1797259609 2579123966]
Device 1: RNG=[1797259609 2579123966]
Device 2: RNG=[ 928981903 3453687069]
Device 3: RNG=[ 928981903 3453687069]
Device 4: RNG=[4146024105 2718843009]
Device 5: RNG=[4146024105 2718843009]
Device 6: RNG=[2467461003 3840466878]
Device 7: RNG=[2467461003 3840466878]
X
runs other "$G/shardmap" 42 24 8 16
has other <<'X'
Local x shape (6, 8)
Local w shape (8, 8)
Local b shape (8,)
Output shape (24, 16)
X
has other <<'X'
Original w shape (2, 16)
Gathered w shape (8, 16)
X
has other <<'X'
Device 1: RNG=[1832780943  270669613]
Device 2: RNG=[  64467757 2916123636]
Device 3: RNG=[  64467757 2916123636]
Device 4: RNG=[2465931498  255383827]
Device 5: RNG=[2465931498  255383827]
Device 6: RNG=[3134548294  894150801]
X

# ---- data parallel ----
runs dp "$G/dp"
has dp <<'X'
DP Parameters
{'input_dense': {'bias': ((512,),
                          NamedSharding(mesh=Mesh('data': 8), spec=PartitionSpec())),
                 'kernel': ((784, 512),
                            NamedSharding(mesh=Mesh('data': 8), spec=PartitionSpec()))},
 'output_dense': {'bias': ((10,),
                           NamedSharding(mesh=Mesh('data': 8), spec=PartitionSpec())),
                  'kernel': ((512, 10),
                             NamedSharding(mesh=Mesh('data': 8), spec=PartitionSpec()))}}
accuracy: 1.000000
X
near dp loss: 0.0033 0.0002
has dp <<'X'
Metrics
{'accuracy': (((), NamedSharding(mesh=Mesh('data': 8), spec=PartitionSpec())),
              ((), NamedSharding(mesh=Mesh('data': 8), spec=PartitionSpec()))),
 'loss': (((), NamedSharding(mesh=Mesh('data': 8), spec=PartitionSpec())),
          ((), NamedSharding(mesh=Mesh('data': 8), spec=PartitionSpec())))}
X

# ---- fully sharded ----
runs fsdp "$G/fsdp"
has fsdp <<'X'
RNG PartitionSpec()

Parameters
{'input_dense': {'bias': PartitionSpec('data',),
                 'kernel': PartitionSpec('data', None)},
 'output_dense': {'bias': PartitionSpec(),
                  'kernel': PartitionSpec('data', None)}}

Optimizer state
ScaleByAdamState(count=PartitionSpec(), mu={'input_dense': {'bias': PartitionSpec('data',), 'kernel': PartitionSpec('data', None)}, 'output_dense': {'bias': PartitionSpec(), 'kernel': PartitionSpec('data', None)}}, nu={'input_dense': {'bias': PartitionSpec('data',), 'kernel': PartitionSpec('data', None)}, 'output_dense': {'bias': PartitionSpec(), 'kernel': PartitionSpec('data', None)}})
FSDP Parameters
{'input_dense': {'bias': Partitioned(value=(512,), names=('data',), mesh=None),
                 'kernel': Partitioned(value=(784, 512),
                                       names=('data', None),
                                       mesh=None)},
 'output_dense': {'bias': (10,),
                  'kernel': Partitioned(value=(512, 10),
                                        names=('data', None),
                                        mesh=None)}}
 FSDP - Final metrics 
accuracy: 1.000000
X
near fsdp loss: 0.0033 0.0002

# A device holds an eighth of the state; DP brings sums of gradients, FSDP parameters and their parts of the sums.
if awk '/^A device holds/ { x[FILENAME] = $4; if (FILENAME ~ /fsdp$/) good = / [1-9][0-9]* all-gather, [1-9][0-9]* reduce-scatter/ }
        END { for (k in x) if (k ~ /fsdp$/) a = x[k]; else b = x[k]; exit !(good && a > 0 && b > 5 * a) }' "$dir/dp" "$dir/fsdp"
then good; else bad fsdp "memory and exchanges are not those of slices"; fi
like dp '^A device holds .*: [1-9][0-9]* all-reduce$'

# What is said of parameters, and of a setting that does not exist.
runs said env TUTTI=params "$G/fsdp" hidden=64
like said '^Parameter \(10,\) with names \(None,\) too small to shard, size 10 < 16\.$'
like said "^Parameter \\(784, 64\\) with names \\(None, None\\) is sharded on axis data\\.\$"
runs none env TUTTI=params "$G/fsdp" hidden=60 input=30 min_weight_size=100
like none '^Could not shard \(30, 60\) with names \(None, None\) on axis data, no suitable axis found\.$'
runs wrong sh -c "! $G/dp hiden=3"

# ---- other sizes and seeds: losses of the goldens; DP as FSDP; one device as eight, within reordering ----
other() { # NAME LOSS WITHIN ACCURACY SETTINGS...
    n=$1; loss=$2; within=$3; accuracy=$4; shift 4
    for t in dp fsdp; do
        more=; [ $t = fsdp ] && more=min_weight_size=$least
        runs "$n.$t" "$G/$t" "$@" $more
        near "$n.$t" loss: "$loss" "$within"; near "$n.$t" accuracy: "$accuracy" 0.05
    done
    near "$n.fsdp" loss: "$(awk '$1 == "loss:" { print $2 }' "$dir/$n.dp")" 0.0005
}
least=16
other mini 1.05101 0.01 0.625 batch=32 classes=5 input=12 hidden=16 dropout=0.25 rate=0.01 minibatches=2 seed=7
other mini4 1.32150 0.013 0.41667 batch=24 classes=3 input=12 hidden=8 dropout=0.5 rate=0.01 minibatches=3 seed=11 devices=4
least=0
other mini2 0.36206 0.004 0.875 batch=8 classes=4 input=6 hidden=10 dropout=0 rate=0.03 minibatches=1 seed=3 devices=2
small="batch=32 classes=5 input=12 hidden=16 dropout=0 rate=0.01 seed=9"
for m in 1 8; do
    runs "devices$m" "$G/dp" $small devices=$m minibatches=$((16 / m))
done
near devices1 loss: "$(awk '$1 == "loss:" { print $2 }' "$dir/devices8")" 0.00001
for t in shardmap dp fsdp; do                            # the same bits with any number of workers
    runs "$t.1" env TUTTI=reproducible,workers:1 "$G/$t"
    runs "$t.3" env TUTTI=reproducible,workers:3 "$G/$t"
    same "$t.1" "$t.3"
done

# ---- DataParallel ----
if [ "$2" = long ]; then set -- 2048 1000 3 16 0.5; else set -- 256 128 1 4 0; fi
runs dataparallel "$G/dataparallel" batch=64 "images=$1" "test=$2" "epochs=$3" "width=$4"
like dataparallel '^2 devices; MNIST stands for Fashion-MNIST$'
like dataparallel '^7 rows on 3 devices: chunks 3, 3, 1$'
like dataparallel '^test acc: [01]\.[0-9][0-9], [0-9]+\.[0-9] sec/epoch on \[.*id=0.*id=1.*\]$'
if awk -v a="$5" '/^test acc/ { exit !($3 + 0 >= a) }' "$dir/dataparallel"; then good; else bad dataparallel "it has not learnt"; fi
echo "$p passed, $f failed, $s skipped"
[ $f -eq 0 ]
