#!/bin/sh
# What `make install` puts where, and `make uninstall` takes away: one list serves both. The variables are the Makefile's: B, PREFIX,
# LIBDIR, DESTDIR, VERSION, SOVERSION, PLUGINS. usage: tools/install.sh install|uninstall
set -e
mode=$1
case $PREFIX$LIBDIR in *'
'*) echo "tutti: a PREFIX or LIBDIR of several lines" >&2; exit 2 ;; esac
for where in "$PREFIX" "$LIBDIR"; do
    case $where in /*) ;; *) echo "tutti: PREFIX and LIBDIR are absolute, not \"$where\"" >&2; exit 2 ;; esac
done
lib=$DESTDIR$LIBDIR share=$DESTDIR$PREFIX/share include=$DESTDIR$PREFIX/include count=0
# put MODE FILE TO: installs a file under the name TO, or takes TO away
put()
{
    count=$((count + 1))
    if [ $mode = uninstall ]; then rm -f "$3"; return; fi
    install -d "$(dirname "$3")"
    install -m "$1" "$2" "$3"
}
linked() { if [ $mode = uninstall ]; then rm -f "$2"; else ln -sf "$1" "$2"; fi; }
# made FROM TO: a file with the places written in
made()
{
    if [ $mode = install ]; then
        install -d "$(dirname "$2")"
        sed -e "s|@PREFIX@|$(quoted "$PREFIX")|; s|@LIBDIR@|$(quoted "$pc_lib")|; s|@INCLUDE@|$(quoted "$cmake_include")|" \
            -e "s|@VERSION@|$VERSION|; s|@SOVERSION@|$SOVERSION|" "$1" >"$2"
        chmod 644 "$2"
    fi
    [ $mode = install ] || rm -f "$2"
    count=$((count + 1))
}
quoted() { printf '%s' "$1" | sed 's/[&|\\]/\\&/g'; }
pc_lib=$LIBDIR cmake_include=$PREFIX/include
case $LIBDIR in "$PREFIX"/*)                             # so that a prefix can be moved as a whole
    pc_lib="\${prefix}${LIBDIR#"$PREFIX"}"
    cmake_include=$(printf '%s' "${LIBDIR#"$PREFIX"/}" | sed 's|[^/][^/]*|..|g')/include ;;
esac

for header in tutti.h tutti.hpp; do [ ! -f include/$header ] || put 644 include/$header "$include/$header"; done
for header in include/tutti/*.h; do put 644 "$header" "$include/tutti/${header##*/}"; done
put 644 "$B/public/libtutti.a" "$lib/libtutti.a"
put 755 "$B/libtutti.so" "$lib/libtutti.so.$SOVERSION"
linked "libtutti.so.$SOVERSION" "$lib/libtutti.so"
for plugin in $PLUGINS; do put 755 "$B/${plugin##*/}" "$lib/tutti/${plugin##*/}"; done
put 755 "$B/tutti" "$DESTDIR$PREFIX/bin/tutti"
for page in LICENSE NOTICE README.md CHANGELOG.md docs/*.md; do put 644 "$page" "$share/doc/tutti/${page##*/}"; done
for file in examples/data/*; do put 644 "$file" "$share/tutti/data/${file##*/}"; done
put 644 tests/valgrind.supp "$share/tutti/valgrind.supp"
made tools/tutti.pc.in "$lib/pkgconfig/tutti.pc"
made tools/tuttiConfig.cmake.in "$lib/cmake/tutti/tuttiConfig.cmake"
made tools/tuttiConfigVersion.cmake.in "$lib/cmake/tutti/tuttiConfigVersion.cmake"
[ $mode = install ] || rm -f "$share/man/man1/tutti.1"
for page in "$B"/man/*.[13]; do put 644 "$page" "$share/man/man${page##*.}/${page##*/}"; done
while read -r name page; do
    if [ $mode = install ]; then echo ".so man3/$page.3" >"$share/man/man3/$name.3"; else rm -f "$share/man/man3/$name.3"; fi
done <"$B/man/links"
shell() { [ $mode = uninstall ] || "$B/tutti" completion "$1" >"$B/completion" 2>/dev/null || return 0; put 644 "$B/completion" "$2"; }
shell bash "$share/bash-completion/completions/tutti"
shell zsh "$share/zsh/site-functions/_tutti"
shell fish "$share/fish/vendor_completions.d/tutti.fish"
rm -f "$B/completion"
[ $mode = install ] || rmdir "$include/tutti" "$lib/tutti" "$lib/cmake/tutti" "$share/doc/tutti" "$share/tutti/data" "$share/tutti" 2>/dev/null || :
echo "tutti: ${mode}ed $count files under $DESTDIR$PREFIX"
