#!/bin/sh
# make install and uninstall: what is where under PREFIX, LIBDIR and DESTDIR, and that all of it goes away again; that a program builds
# and runs outside the tree by pkg-config alone and by CMake's find_package; that the libraries show nothing but tt_ names; that
# manual pages render without a warning. The build is of its own and takes most objects from BUILD. usage: tests/install.sh [BUILD]
B=$(cd "${1:-build}" && pwd); dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
p=0; f=0; s=0
ok() { name=$1; shift; if "$@" >"$dir/out" 2>&1; then p=$((p+1)); else f=$((f+1)); echo "FAIL $name:"; head -n 8 "$dir/out"; fi; }
says() { name=$1; text=$2; shift 2; "$@" >"$dir/out" 2>&1 </dev/null; if grep -qF -- "$text" "$dir/out"; then p=$((p+1)); else f=$((f+1)); echo "FAIL $name: expected \"$text\", printed:"; head -n 8 "$dir/out"; fi; }
empty() { if [ -s "$dir/out" ]; then f=$((f+1)); echo "FAIL $1:"; head -n 8 "$dir/out"; else p=$((p+1)); fi; }
skip() { s=$((s+1)); echo "skip: $1"; }
has() { command -v "$1" >/dev/null 2>&1; }
unset TUTTI TUTTI_PLUGINS LD_LIBRARY_PATH MAKEFLAGS MFLAGS PKG_CONFIG_PATH CFLAGS CPPFLAGS LDFLAGS
# make_of PREFIX LIBDIR DESTDIR TARGET
make_of() { make --no-print-directory B="$dir/build" LENDER="$B" LENT=% ${CC:+"CC=$CC"} PREFIX="$1" LIBDIR="$2" DESTDIR="$3" "$4"; }
to=$dir/usr
ok "make install" make_of "$to" "$to/lib" "" install
for file in include/tutti.h include/tutti/ops.h include/tutti/types.h lib/libtutti.so lib/libtutti.so.0.1 lib/libtutti.a \
    lib/pkgconfig/tutti.pc lib/cmake/tutti/tuttiConfig.cmake lib/cmake/tutti/tuttiConfigVersion.cmake bin/tutti \
    share/tutti/data/train-images-idx3-ubyte.gz share/doc/tutti/LICENSE share/doc/tutti/NOTICE share/doc/tutti/CHANGELOG.md share/tutti/valgrind.supp include/tutti.hpp share/man/man3/tutti-cpp.3 \
    share/man/man1/tutti.1 share/man/man3/tutti.3 share/man/man3/tutti-nn.3 share/man/man3/tt_matmul.3 \
    share/bash-completion/completions/tutti share/zsh/site-functions/_tutti share/fish/vendor_completions.d/tutti.fish; do
    ok "$file" test -f "$to/$file"
done
[ -f "$B/libtutti_dnn.so" ] && ok "the plug-in" test -f "$to/lib/tutti/libtutti_dnn.so"
ok "the compiler of scalar programs" test -f "$to/lib/tutti/libtutti_llvm.so"
says "soname" "libtutti.so.0.1" sh -c "LC_ALL=C readelf -d '$to/lib/libtutti.so' | grep SONAME"

# Only tt_ names, and no name that the header does not have; each has a version.
nm -D --defined-only "$to/lib/libtutti.so" | awk '$2 ~ /[A-Z]/ && $3 !~ /^TUTTI_0/ { print $3 }' >"$dir/versioned"
sed 's/@.*//' "$dir/versioned" | sort >"$dir/names"
ok "names" test -s "$dir/names"
grep -v '^tt_' "$dir/names" >"$dir/out"; empty "names that are not tt_"
grep -v '@@TUTTI_0.1$' "$dir/versioned" >"$dir/out"; empty "names without a version"
cat "$to"/include/tutti.h "$to"/include/tutti/*.h >"$dir/header"
gcc -E -I"$to/include" "$to/include/tutti.h" 2>/dev/null | grep -o 'tt_[a-z0-9_]*' | sort -u >"$dir/said"
comm -23 "$dir/names" "$dir/said" | grep -v -x -e tt_on_error_break >"$dir/out"; empty "names that no header says"
nm -g --defined-only "$to/lib/libtutti.a" | awk 'NF == 3 { print $3 }' | sort >"$dir/archive"
comm -3 "$dir/names" "$dir/archive" >"$dir/out"; empty "names of the archive that are not the library's"

# The variables of a thread are at fixed places: no call of __tls_get_addr. A process that loads the library late, as
# Python does, has 1,664 bytes for those of all such libraries; threads that began before it have them too.
tls=$(($(LC_ALL=C readelf -lW "$to/lib/libtutti.so" | awk '$1 == "TLS" { print $6 }')))
says "a thread's variables" "at most 1024" sh -c "[ $tls -le 1024 ] && echo at most 1024 || echo $tls bytes"
nm -D --undefined-only "$to/lib/libtutti.so" | grep tls_get_addr >"$dir/out"; empty "calls for a thread's variables"
cat >"$dir/late.c" <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
static int (*is_well)(void);
static sem_t loaded;
static void *early(void *unused)
{
    sem_wait(&loaded);
    printf("early %d\n", is_well());
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc != 2 || sem_init(&loaded, 0, 0) || pthread_create(&thread, NULL, early, NULL)) return 1;
    void *const library = dlopen(argv[1], RTLD_NOW);
    if (!library) return puts(dlerror()), 1;
    *(void **)&is_well = dlsym(library, "tt_ok");
    printf("main %d\n", is_well());
    sem_post(&loaded);
    return pthread_join(thread, NULL);
}
C
ok "a program that loads the library late" cc -o "$dir/late" "$dir/late.c" -ldl -lpthread
says "its threads" "main 1 early 1" sh -c "echo \$('$dir/late' '$to/lib/libtutti.so')"

# A program of somebody else, in another place.
cp examples/hello.c examples/regression.c "$dir"
if has pkg-config; then
    export PKG_CONFIG_PATH="$to/lib/pkgconfig"
    flags=$(cd "$dir" && pkg-config --cflags --libs tutti)
    ok "pkg-config --libs" test -n "$flags"
    ok "cc with pkg-config" sh -c "cd '$dir' && cc -std=c17 -Wall -Wextra -Wpedantic -Werror hello.c -o hello $flags -Wl,-rpath,'$to/lib'"
    says "a program outside the tree" "f32[8@i] [0. 1. 2. 3. 4. 5. 6. 7.]" sh -c "cd '$dir' && ./hello"
    ok "cc -static with pkg-config" sh -c "cd '$dir' && cc regression.c -o fixed \$(pkg-config --cflags tutti) '$to/lib/libtutti.a' \$(pkg-config --static --libs-only-l tutti | sed 's/-ltutti//')"
    says "a program with the archive" "step  900" sh -c "cd '$dir' && ./fixed"
    unset PKG_CONFIG_PATH
else skip "no pkg-config"; fi
printf '#include <tutti.h>\nint data_read(void) { return 3; }\nint map_size(void) { return 4; }\nint run_body(void) { return 5; }\nint main(void) { tt_show(tt_f(data_read() + map_size() + run_body())); return tt_done(); }\n' >"$dir/own.c"
ok "names of the program's own that rooms have too" sh -c "cd '$dir' && cc own.c -o own -I'$to/include' '$to/lib/libtutti.a' -ljansson -lz -lm -lpthread -ldl"
says "which are its own" "f32[] 12." "$dir/own"
if has cmake && has g++; then
    mkdir "$dir/project"; cp examples/regression.c "$dir/project"
    printf '#include <tutti.h>\nint main() { tt_show(tt_sum(tt_ones(TT_F32, 3), .dims = "0")); return tt_done(); }\n' >"$dir/project/plus.cpp"
    cat >"$dir/project/CMakeLists.txt" <<'C'
cmake_minimum_required(VERSION 3.13)
project(user C CXX)
set(CMAKE_CXX_STANDARD 20)
find_package(tutti ${WANT} REQUIRED)
add_executable(shared regression.c)
target_link_libraries(shared tutti::tutti)
add_executable(fixed regression.c)
target_link_libraries(fixed tutti::static)
add_executable(plus plus.cpp)
target_link_libraries(plus PRIVATE tutti::tutti)
C
    # configured FOLDER PREFIX WANT
    configured() { cmake -S "$dir/project" -B "$dir/$1" -DCMAKE_PREFIX_PATH="$2" -DWANT="$3"; }
    ok "find_package(tutti 0.1)" configured cmake "$to" 0.1
    ok "cmake --build" cmake --build "$dir/cmake"
    says "CMake, the shared library" "step  900" "$dir/cmake/shared"
    says "CMake, the archive" "step  900" "$dir/cmake/fixed"
    says "CMake, C++" "f32[] 3." "$dir/cmake/plus"
    says "find_package of another ABI" "0.1.0" configured cmake_other "$to" 0.2
    says "find_package of a later version" "0.1.0" configured cmake_later "$to" 0.1.9
    cp -r "$to" "$dir/moved"
    ok "find_package of a prefix that was moved" configured cmake_moved "$dir/moved" 0.1
    says "where it is now" "$dir/moved/include" sh -c "grep -rh 'moved/include' '$dir/cmake_moved/CMakeFiles/shared.dir/flags.make'"
else skip "no cmake"; fi
says "the installed tool" "f32[8@i]" sh -c "cd '$dir' && PATH='$to/bin':\$PATH tutti run hello.c"
says "its data" "digits in $to/share/tutti/data" sh -c "'$to/bin/tutti' doctor | sed 's|/bin/../share|/share|'"
[ -f "$B/libtutti_dnn.so" ] && says "its plug-in" "$to/lib/tutti/libtutti_dnn.so" sh -c "cd / && '$to/bin/tutti' doctor | sed 's|/bin/../lib|/lib|'"

# Manual pages.
if has man; then
    for page in "$to"/share/man/man1/*.1 "$to"/share/man/man3/tutti*.3; do
        LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null
    done >"$dir/out"
    empty "manual pages without a warning"
    says "man tt_matmul" "/tutti-array.3" sh -c "MANPATH='$to/share/man' man -w tt_matmul; cat '$to/share/man/man3/tt_matmul.3'"
    says "man tutti" "devices:N" sh -c "MANPATH='$to/share/man' MANWIDTH=100 LC_ALL=C.UTF-8 man 1 tutti"
else skip "no man"; fi

# What is installed goes away, and nothing else; another LIBDIR, a DESTDIR, and a blank in the names.
echo "of somebody else" >"$to/lib/other.txt"
ok "make uninstall" make_of "$to" "$to/lib" "" uninstall
(cd "$to" && find . -type f -o -type l) >"$dir/left"
says "nothing else is left, nor less" "./lib/other.txt 1" sh -c "echo \$(cat '$dir/left') \$(grep -c . '$dir/left')"
at="/opt/a place"
ok "a blank in the names" make_of "$at" "$at/lib/multi" "$dir/a root" install
ok "a library below DESTDIR and LIBDIR" test -f "$dir/a root$at/lib/multi/libtutti.so.0.1"
ok "its plug-ins" test -f "$dir/a root$at/lib/multi/tutti/libtutti_llvm.so"
if has pkg-config; then
    says "its pkg-config" "-I/opt/a\\ place/include -L/opt/a\\ place/lib/multi -ltutti" env PKG_CONFIG_PATH="$dir/a root$at/lib/multi/pkgconfig" pkg-config --cflags --libs tutti
fi
says "its tool, where it now is" "f32[8@i]" sh -c "cd '$dir' && '$dir/a root$at/bin/tutti' run hello.c"
says "no relative prefix" 'not "usr"' make_of usr usr/lib "" install
ok "a blank in the names, uninstalled without a build" make --no-print-directory B="$dir/none" PREFIX="$at" LIBDIR="$at/lib/multi" DESTDIR="$dir/a root" uninstall
(cd "$dir/a root" && find . -type f -o -type l) >"$dir/out"; empty "what is left there"
echo "$p passed, $f failed, $s skipped"
[ $f -eq 0 ]
