/* Meshes and layouts: atoms, the nested split by brute force, specs there and back, and every complaint word for
 * word. */
#include "mesh/mesh.h"
#include "check.h"

#include <time.h>

static base_arena *arena;

static void atoms(void)
{
    const mesh *m = mesh_of(NULL, "data:12, one:1 , model:8 explicit");
    CHECK(m && m == mesh_of(NULL, " data:12,one:1,model:8 explicit"), "interned");
    CHECK(m->naxis == 3 && m->natom == 7 && mesh_size(m) == 96, "%d atoms", m->natom);
    const uint32_t want[7] = { 2, 2, 3, 1, 2, 2, 2 };
    CHECK(!memcmp(m->atom, want, sizeof want), "small primes major; an axis of size 1 has an atom");
    CHECK(m->axis[2].mode == MESH_EXPLICIT && m->axis[2].first == 4 && m->axis[0].mode == MESH_AUTO, "modes");
    CHECK(m != mesh_of(NULL, "data:12, one:1, model:8"), "the mode counts");
    const mesh_list l = mesh_axis_list(m, base_intern("data"));
    CHECK(mesh_list_n(l) == 3 && mesh_list_at(l, 2) == 2 && mesh_list_size(m, l) == 12, "axis to list");
    CHECK(mesh_list_set(l) == 7 && mesh_set_list(7) == l && mesh_set_size(m, 0x17) == 24, "sets");
    CHECK(!mesh_axis_list(m, base_intern("x")) && !mesh_axis_list(NULL, base_intern("x")), "no such axis");
    const base_name two[2] = { base_intern("model"), base_intern("elsewhere") };
    CHECK(mesh_named(m, 2, two) == 0x70, "axes by name");
    bool good = true;
    uint32_t c[MESH_ATOMS];
    for (int64_t i = 0; i < 96; i++) {
        mesh_coord(m, i, c);
        good &= mesh_instance(m, 0x7f, c) == i && c[0] == i / 48 && c[6] == i % 2;
        const int64_t k = mesh_instance(m, 0x45, c);     /* atoms 0, 2 and 6: 2 x 3 x 2 */
        uint32_t e[MESH_ATOMS];
        mesh_instance_coord(m, 0x45, k, e);
        good &= k == (c[0] * 3 + c[2]) * 2 + c[6] && e[0] == c[0] && e[1] == 0 && e[2] == c[2] && e[6] == c[6];
    }
    CHECK(good, "coordinates");
    const mesh_list turned = mesh_list_join(mesh_axis_list(m, base_intern("model")), l);      /* atoms 4 5 6 0 1 2 */
    CHECK(mesh_list_n(turned) == 6 && mesh_list_at(turned, 0) == 4 && mesh_list_beyond(turned, 3) == l, "joined");
    CHECK(mesh_list_beyond(turned, 0) == turned && !mesh_list_beyond(l, 3) && mesh_list_join(0, l) == l, "ends");
    good = true;
    for (int64_t i = 0; i < 96; i++) {
        uint32_t at[MESH_ATOMS] = { [3] = 7 };
        mesh_coord(m, i, c);
        const int64_t place = mesh_place(m, turned, c);  /* the other axis major */
        mesh_place_coord(m, turned, place, at);
        good &= place == i % 8 * 12 + i / 8 && at[3] == 7;
        for (int k = 0; k < 7; k++) good &= k == 3 || at[k] == c[k];
    }
    CHECK(good, "places along a list");
    const mesh *big = mesh_of(NULL, "a:1024, b:1024, c:3");
    CHECK(big->natom == 15 && mesh_size(big) == 3 << 20, "%d atoms", big->natom);
    CHECK(big->atom[7] == 2 && mesh_list_size(big, mesh_axis_list(big, base_intern("a"))) == 1024 &&
          mesh_list_size(big, mesh_axis_list(big, base_intern("b"))) == 1024, "joined atoms keep the sizes");
    const mesh *huge = mesh_of(NULL, "a:1000003");
    CHECK(huge->natom == 1 && huge->atom[0] == 1000003, "a large prime");
    const mesh *o = mesh_of(NULL, "a:2, b:2 @ 3 1 2 0");
    CHECK(o && o->order && o->order[0] == 3 && o == mesh_ordered(NULL, "a:2,b:2", (const int64_t[]){ 3, 1, 2, 0 }),
          "order");
    const size_t peak = base_peak_bytes();
    CHECK(!mesh_of(NULL, "a:2147483646 @ 6") && base_peak_bytes() < peak + (1 << 20),
          "%zu bytes for an order that is cut", base_peak_bytes() - peak);
    base_clear_error();
    CHECK(mesh_of(NULL, "a:2, b:2") == mesh_ordered(NULL, "a:2, b:2", (const int64_t[]){ 0, 1, 2, 3 }), "plain order");
    CHECK(!strcmp(mesh_text(arena, o), "a:2, b:2 @ 3 1 2 0") && mesh_of(NULL, mesh_text(arena, o)) == o, "text");
    CHECK(!strcmp(mesh_text(arena, m), "data:12, one:1, model:8 explicit"), "text: %s", mesh_text(arena, m));
}

/* Every device's block of every size up to 64: the blocks of a list tile the dim in order, have floor or ceil of the
 * even size, and are inside the block of every shorter list. */
static void split(const char *text, int n, const int *order)
{
    const mesh *m = mesh_of(NULL, text);
    uint32_t c[MESH_ATOMS];
    bool good = true;
    for (int64_t size = 0; size <= 64; size++) {
        int64_t outer_lo[4096], outer_hi[4096];
        mesh_list l = 0;
        for (int64_t i = 0; i < mesh_size(m); i++) outer_lo[i] = 0, outer_hi[i] = size;
        for (int k = 0; k < n; k++) {
            l = mesh_list_push(l, order[k]);
            const int64_t parts = mesh_list_size(m, l);
            int64_t covered = 0;
            for (int64_t i = 0; i < mesh_size(m); i++) {
                int64_t lo, hi;
                bool first = true;
                mesh_coord(m, i, c);
                mesh_range(m, l, size, c, &lo, &hi);
                good &= hi - lo >= size / parts && hi - lo <= (size + parts - 1) / parts;
                good &= lo >= outer_lo[i] && hi <= outer_hi[i];
                outer_lo[i] = lo;
                outer_hi[i] = hi;
                for (int a = 0; a < m->natom; a++) if (!(mesh_list_set(l) >> a & 1)) first &= c[a] == 0;
                covered += first ? hi - lo : 0;
            }
            good &= covered == size;
        }
        for (int64_t i = 0; i < mesh_size(m); i++) {     /* neighbours touch */
            int64_t place = 0, lo, hi;
            mesh_coord(m, i, c);
            for (int k = 0; k < n; k++) place = place * m->atom[order[k]] + c[order[k]];
            for (int k = n - 1, carry = 1; k >= 0 && carry; k--) {
                carry = ++c[order[k]] == m->atom[order[k]];
                if (carry) c[order[k]] = 0;
            }
            mesh_range(m, l, size, c, &lo, &hi);
            good &= lo == (place + 1 == mesh_list_size(m, l) ? 0 : outer_hi[i]);
        }
    }
    CHECK(good, "nested split of %s", text);
}

static void print_back(const mesh *m, int rank, const char *spec, const char *want)
{
    const mesh_layout *l = mesh_parse(NULL, m, rank, spec);
    CHECK(l, "%s: %s", spec, base_failed() ? base_failed()->what : "");
    base_clear_error();
    if (!l) return;
    const char *s = mesh_print(arena, l);
    CHECK(!strcmp(s, want), "\"%s\" prints \"%s\", not \"%s\"", spec, s, want);
    CHECK(mesh_parse(NULL, m, rank, s) == l, "\"%s\" reads back", s);
}

static void specs(void)
{
    const mesh *m = mesh_of(NULL, "data:2, model:8, one:1");
    print_back(m, 2, "data, _", "data, _");
    print_back(m, 3, "data", "data, _, _");
    print_back(m, 2, "", "_, _");
    print_back(m, 2, " _ ,model + data", "_, model+data");
    print_back(m, 2, "?, model?", "?, model?");
    print_back(m, 2, "data!2, ?!1", "data!2, ?!1");
    print_back(m, 2, "model.1.2, model.2.4", "model.1.2, model.2.4");
    print_back(m, 1, "model.4.2+model.1.2", "model.4.2+model.1.2");
    print_back(m, 1, "data+one", "data+one");
    print_back(m, 2, "data, _ +sum(model)", "data, _ +sum(model)");
    print_back(m, 0, "+max(model+data)", "+max(data+model)");
    print_back(m, 1, "_ +sum(model.1.2) +reduced(data) +closed(one)", "_ +sum(model.1.2) +reduced(data) +closed(one)");
    print_back(m, 0, "_", "");
    print_back(m, 0, "", "");
    print_back(NULL, 2, "_, _", "_, _");
    const mesh_layout *l = mesh_parse(NULL, m, 2, "data, _ +sum(model)");
    CHECK(mesh_used(l) == 0xf && mesh_layout_vary(NULL) == 0 && l->reduce == MESH_SUM, "atoms used");
    CHECK(mesh_replicated(m, 2) == mesh_parse(NULL, m, 2, "_"), "replicated");
    l = mesh_parse(NULL, m, 2, "data, model");
    CHECK(mesh_divides(l, (const int64_t[]){ 4, 0 }) && !mesh_divides(l, (const int64_t[]){ 4, 12 }), "divides");
    CHECK(mesh_layout_dims(m, 2, (const mesh_list[]){ l->dim[0].atoms, l->dim[1].atoms }) == l, "by dims");
}

static void refused(const mesh *m, int rank, const char *text, const char *want)
{
    const void *got = rank < 0 ? (const void *)mesh_of("x.c:1", text) : mesh_parse("x.c:1", m, rank, text);
    CHECK(!got && base_failed() && base_failed()->hint && !strcmp(base_failed()->what, want) &&
          base_failed()->code == (rank < 0 ? TT_EMESH : TT_ESPEC) && !strcmp(base_failed()->site, "x.c:1"),
          "\"%s\": %s", text, base_failed() ? base_failed()->what : "accepted");
    base_clear_error();
}

static void complaints(void)
{
    const mesh *m = mesh_of(NULL, "data:2, model:4");
    refused(m, 2, "dta, _", "no axis \"dta\" in mesh data:2, model:4\n  dta, _\n  ^");
    refused(NULL, 2, "_, data", "no axis \"data\" in no mesh\n  _, data\n     ^");
    refused(m, 1, "data, _", "the spec has more items than the value has dims (1)\n  data, _\n        ^");
    refused(m, 0, "data", "a spec for dims, but the value is a scalar\n  data\n  ^");
    refused(m, 0, "_, _", "a spec for dims, but the value is a scalar\n  _, _\n  ^");
    refused(m, 2, "data, data",
            "axis \"data\" is used twice: an axis shards one dim only\n  data, data\n        ^");
    refused(m, 2, "data,, _", "an empty item; write '_' for an unsharded dim\n  data,, _\n       ^");
    refused(m, 2, "data,", "an empty item; write '_' for an unsharded dim\n  data,\n       ^");
    refused(m, 2, "data+_", "'_' stands alone: it leaves a dim unsharded\n  data+_\n       ^");
    refused(m, 2, "data model", "expected ',' and the next item, or the end\n  data model\n       ^");
    refused(m, 2, "data; _", "expected ',' and the next item, or the end\n  data; _\n      ^");
    refused(m, 2, "-", "expected an axis, '_' or '?'\n  -\n  ^");
    refused(m, 2, "model.3.2",
            "no such part of the axis: name.m.k is k places below the m major ones, and an axis is split between its "
            "prime factors\n  model.3.2\n  ^");
    refused(m, 2, "model.1",
            "no such part of the axis: name.m.k is k places below the m major ones, and an axis is split between its "
            "prime factors\n  model.1\n  ^");
    refused(m, 1, "data +sum(data)",
            "axis \"data\" is used twice: an axis shards one dim only\n  data +sum(data)\n"
                                     "            ^");
    refused(m, 1, "_ +avg(data)", "a state is sum, prod, max, min, and, or, xor, reduced or closed, once each\n"
                                  "  _ +avg(data)\n    ^");
    refused(m, 1, "_ +sum(data", "')' is missing\n  _ +sum(data\n             ^");
    refused(m, 1, "data!x", "expected a priority, 0 to 255, after '!'\n  data!x\n      ^");
    refused(NULL, -1, "data", "expected ':' and the size of the mesh axis\n  data\n      ^");
    refused(NULL, -1, "", "expected the name of a mesh axis\n  \n  ^");
    refused(NULL, -1, "data:2,", "expected the name of a mesh axis\n  data:2,\n         ^");
    refused(NULL, -1, "_:2", "expected the name of a mesh axis\n  _:2\n  ^");
    refused(NULL, -1, "a:2, a:3", "two mesh axes have the name \"a\"\n  a:2, a:3\n       ^");
    refused(NULL, -1, "a:0", "expected the size of the mesh axis, 1 or more\n  a:0\n    ^");
    refused(NULL, -1, "a:-1", "expected the size of the mesh axis, 1 or more\n  a:-1\n    ^");
    refused(NULL, -1, "a:65536, b:65536",
            "a mesh of more than the limit of 2^31 devices\n  a:65536, b:65536\n             ^");
    refused(NULL, -1, "a:99999999999999999999",
            "a mesh of more than the limit of 2^31 devices\n  a:99999999999999999999\n    ^");
    refused(NULL, -1, "a:2 fast", "the mode of a mesh axis is auto, explicit or manual\n  a:2 fast\n      ^");
    refused(NULL, -1, "a:2; b:3", "expected ',' and the next mesh axis, or the end\n  a:2; b:3\n     ^");
    refused(NULL, -1, "a:2 @ 1 1", "the order of a mesh names each of its devices once\n  a:2 @ 1 1\n       ^");
    refused(NULL, -1, "a:2 @ 1", "the order of a mesh names each of its devices once\n  a:2 @ 1\n         ^");
}

/* Texts put together at random: a layout that prints and reads back, or a complaint with a caret; never a crash. */
static void garbled(void)
{
    static const char *const piece[] = { "data", "model", "one", "mode", "_", "?", "+", ",", ", ", " ", "!1",
        "!", ".1.2",
                                         ".2.2", ".", "+sum(", "+closed(", "sum", ")", "(", "@", "300", "-",
                                         ":", "\xc3",
                                         "data.1.2", "model.2.2", "" };
    const mesh *m = mesh_of(NULL, "data:4, model:4, one:1");
    uint64_t state = 7;
    int valid = 0, bad = 0;
    for (int k = 0; k < 60000; k++) {
        char text[256] = "";
        const int rank = k % 5, n = 1 + k / 5 % 9;
        for (int i = 0; i < n; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            strcat(text, piece[(state >> 33) % (sizeof piece / sizeof *piece)]);
        }
        const mesh_layout *l = mesh_parse("here", m, rank, text);
        const char *said = base_failed() ? base_failed()->what : "";
        valid += l != NULL;
        const bool good = l ? !*said && mesh_parse("there", m, rank, mesh_print(arena, l)) == l
                            : strstr(said, "^") && base_failed()->hint;
        if (!good && !bad++) printf("\"%s\" of rank %d: %s\n", text, rank, l ? mesh_print(arena, l) : said);
        base_clear_error();
    }
    CHECK(valid > 1000 && !bad, "%d valid, %d bad", valid, bad);
}

static int64_t part_of(const mesh_layout *l, int dim, int64_t place)
{
    uint32_t at[MESH_ATOMS];
    int64_t n = 0;
    mesh_coord(l->mesh, place, at);
    for (int i = 0; i < mesh_list_n(l->dim[dim].atoms); i++)
        n = n * l->mesh->atom[mesh_list_at(l->dim[dim].atoms, i)] + at[mesh_list_at(l->dim[dim].atoms, i)];
    return n;
}

/* mesh_same compares layouts by their digits; here every device's parts are compared. */
static void alike(void)
{
    static const char *const of[] = { "a:12", "a:6, b:2", "a:2, b:6", "a:3, b:4", "a:4, b:3", "a:2, b:2, c:3",
                                      "a:3, b:2, c:2", "a:2, b:3, c:2", "a:2, one:1, b:6" };
    const mesh_layout *l[512];
    int n = 0, equal = 0, wrong = 0;
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        const mesh *m = mesh_of(NULL, of[k]);
        for (int i = 0; i < 1 << m->natom && n < 500; i++)                /* a set of atoms, in two orders */
            for (int turn = 0; turn < 2; turn++) {
                mesh_list d[2] = { 0, 0 };
                for (int j = 0; j < m->natom; j++) {
                    const int atom = turn ? m->natom - 1 - j : j;
                    d[!(i >> atom & 1)] = mesh_list_push(d[!(i >> atom & 1)], atom);
                }
                l[n++] = mesh_layout_dims(m, 2, d);
            }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            bool same = true;
            for (int64_t k = 0; k < 12 && same; k++)
                for (int d = 0; d < 2; d++) same &= part_of(l[i], d, k) == part_of(l[j], d, k);
            equal += same;
            wrong += mesh_same(arena, l[i], l[j]) != same;
        }
    CHECK(n > 100 && equal > n && !wrong, "%d layouts, %d pairs equal, %d answers wrong", n, equal, wrong);
    const mesh *x = mesh_of(NULL, "a:2147483647"), *y = mesh_of(NULL, "z:1, b:2147483647");
    const mesh_layout *p = mesh_parse(NULL, x, 1, "a"), *q = mesh_parse(NULL, y, 1, "b");
    const clock_t began = clock();                       /* of the processor */
    CHECK(p && q && mesh_same(arena, p, q) && !mesh_same(arena, p, mesh_replicated(y, 1)), "2^31 - 1 devices");
    CHECK(clock() - began < 5 * CLOCKS_PER_SEC, "a device of a large mesh is visited");
}

int main(int argc, char **argv)
{
    check_main(argc, argv);
    arena = base_open();
    CHECK_RUN(atoms());
    CHECK_RUN(split("a:2, b:2, c:2", 3, (const int[]){ 0, 1, 2 }));
    CHECK_RUN(split("a:2, b:3, c:5", 3, (const int[]){ 2, 0, 1 }));
    CHECK_RUN(split("a:8", 3, (const int[]){ 2, 0, 1 }));
    CHECK_RUN(split("a:3, b:3, c:7", 3, (const int[]){ 0, 2, 1 }));
    CHECK_RUN(split("a:13, b:2", 2, (const int[]){ 1, 0 }));
    CHECK_RUN(split("a:1, b:4, c:1", 4, (const int[]){ 0, 1, 2, 3 }));
    CHECK_RUN(split("a:64", 6, (const int[]){ 5, 4, 3, 2, 1, 0 }));
    CHECK_RUN(split("a:6, b:10", 4, (const int[]){ 0, 3, 1, 2 }));
    CHECK_RUN(split("a:67", 1, (const int[]){ 0 }));
    CHECK_RUN(specs());
    CHECK_RUN(complaints());
    CHECK_RUN(garbled());
    CHECK_RUN(alike());
    base_close(arena);
    return check_done();
}
