/* oracle_self.c - does the golden runner see what is wrong? Small suites are written here: as they are they pass; with
 * a number, a type, a shape, a text, a hash or a verdict changed they fail, by the case's name, and so do what the
 * runner does not know and a refusal by another error; what is known to miss is counted by itself. */
#include "check.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <tutti.h>

static char dir[] = "/tmp/tutti-oracle-XXXXXX", runner[1024], printed[1 << 16];

static void put(const char *name, const char *text)      /* in the suite; of a list: "../lists/NAME" */
{
    char path[128];
    snprintf(path, sizeof path, "%s/self/%s", dir, name);
    FILE *f = fopen(path, "w");
    if (f) fputs(text, f), fclose(f);
}

/* Runs the runner over the folder: its status; what it printed is in printed[]. */
static int run(const char *more)
{
    char command[1400];
    const char *suite = strstr(more, "--") ? "" : more;
    snprintf(command, sizeof command, "TUTTI_ORACLE= %s --lists %s/lists %s %s %s 2>&1", runner, dir,
             *suite ? "" : more, dir, suite);
    FILE *f = popen(command, "r");
    const size_t n = f ? fread(printed, 1, sizeof printed - 1, f) : 0;
    printed[n] = 0;
    const int status = f ? pclose(f) : -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect(const char *what, const char *cases, int status, const char *text)
{
    put("cases.json", cases);
    const int got = run("");
    CHECK(got == status && strstr(printed, text), "%s: status %d, expected %d and \"%s\"; printed:\n%s", what, got,
          status, text, printed);
}

#define ADD(id, out, tol)                                                                                              \
    "{\"id\":\"" id "\",\"kind\":\"math\",\"fn\":\"add\",\"params\":{},\"in\":[\"x\",\"y\"],\"out\":[\"" out           \
    "\"],\"tol\":" tol "}"
#define WIDEN(tol)                                                                                                     \
    "{\"id\":\"wide\",\"kind\":\"math\",\"fn\":\"convert\",\"params\":{\"to\":\"float64\"},\"in\":"                    \
    "[\"x\"],\"out\":[\"near_wide\"],\"tol\":" tol "}"
#define EXACT "{\"exact\":true}"

static void write_arrays(void)
{
    const float zero = 0, nan = 0 / zero, tiny = 1e-40f;
    const float x[] = { 1, 2, nan, -0.0f, tiny }, y[] = { 10, 20, 1, -0.0f, 1 };
    const float good[] = { 11, 22, nan, -0.0f, 7 }, other[] = { 11, 23, nan, -0.0f, 7 };
    const float near[] = { 11, 0x1.600002p4f, nan, -0.0f, 7 }, positive[] = { 11, 22, nan, 0, 7 };
    const double wide[] = { 11, 22, nan, -0.0, 7 }, near_wide[] = { 1, 2 + 9 * 0x1p-51, nan, -0.0, (double)tiny };
    const uint16_t a[] = { 0x3f80 }, b[] = { 0x4000 };   /* bf16 1, 2 */
    const uint32_t fives[] = { 5, 5, 5 }, sixes[] = { 5, 6, 5 };
    const tt_val tree = tt_dict(
        "x", tt_array(TT_F32, x, 5), "y", tt_array(TT_F32, y, 5), "good", tt_array(TT_F32, good, 5), "other",
        tt_array(TT_F32, other, 5), "near", tt_array(TT_F32, near, 5), "positive", tt_array(TT_F32, positive, 5),
        "wide", tt_array(TT_F64, wide, 5), "near_wide", tt_array(TT_F64, near_wide, 5), "row",
        tt_array(TT_F32, good, 1, 5), "one_bf16", tt_array(TT_U16, a, 1),
        "fives", tt_array(TT_U32, fives, 3), "sixes", tt_array(TT_U32, sixes, 3), "two_bf16", tt_array(TT_U16, b, 1));
    char path[128];
    snprintf(path, sizeof path, "%s/self/arrays.npz", dir);
    CHECK(tt_write_npz(path, tree), "%s", tt_error());
}

static void numbers(void)
{
    expect("right", "[" ADD("right", "good", EXACT) "]", 0, "1 passed, 0 failed, 0 skipped");
    expect("one number", "[" ADD("a", "good", EXACT) "," ADD("wrong", "other", EXACT) "]", 1,
           "FAIL self/wrong: other: 1 of 5 elements differ; the first is [1]: got 22, expected 23");
    CHECK(strstr(printed, "1 passed, 1 failed, 0 skipped"), "the sum: %s", printed);
    expect("ulp", "[" ADD("near", "near", "{\"ulp\":1}") "]", 0, "1 passed, 0 failed");
    expect("exact", "[" ADD("near", "near", EXACT) "]", 1, "largest error 1 ulp");
    expect("ulp of f64", "[" WIDEN("{\"ulp\":9}") "]", 0, "1 passed, 0 failed");
    expect("too many ulp of f64", "[" WIDEN("{\"ulp\":8}") "]", 1, "largest error 9 ulp");
    expect("relative", "[" ADD("far", "other", "{\"rtol\":0.01,\"atol\":0.5}") "]", 1, "FAIL self/far");
    expect("relative, wider", "[" ADD("far", "other", "{\"rtol\":0.01,\"atol\":0.8}") "]", 0, "1 passed, 0 failed");
    expect("signed zero", "[" ADD("zero", "positive", EXACT) "]", 1, "got -0, expected 0");
    expect("signed zero in ulp", "[" ADD("zero", "positive", "{\"ulp\":0}") "]", 0, "1 passed, 0 failed");
    expect("type", "[" ADD("type", "wide", EXACT) "]", 1, "FAIL self/type: wide: f32[5]");
    expect("shape", "[" ADD("shape", "row", EXACT) "]", 1, "[1, 5]");
    expect("no such array", "[" ADD("none", "nothing", EXACT) "]", 1, "FAIL self/none");
}

#define FIVES                                                                                                          \
    "\"kind\":\"random\",\"fn\":\"randint\",\"params\":{\"key\":[0,0],\"shape\":[3],\"dtype\":\"uint32\"," \
    "\"minval\":5,\"maxval\":6},"
#define REFUSED(y, error)                                                                                              \
    "{\"id\":\"no\",\"kind\":\"math\",\"fn\":\"add\",\"in\":[\"x\",\"" y "\"],\"out\":[],\"error\":\"" error "\"}"
static void others(void)
{
    expect(
        "refused",
        "[" REFUSED("sixes", "shapes") "]", 0, "1 passed, 0 failed");
    expect("refused for another reason",
           "[" REFUSED("sixes", "types") "]", 1,
           "FAIL self/no: was refused with ESHAPE, expected ETYPE");
    expect("refused in other words",
           "[" REFUSED("sixes", "words") "]", 1,
           "FAIL self/no: was refused with words other than \"nothing of the kind\"");
    expect("an error that no row knows",
           "[" REFUSED("sixes", "why") "]", 1,
           "FAIL self/no: no row of refusals.txt says which error answers to \"why\"");
    expect("cannot be set up",
           "[" REFUSED("nowhere", "shapes") "]", 1,
           "FAIL self/no: the file has no array nowhere");
    expect("accepted",
           "[{\"id\":\"no\",\"kind\":\"math\",\"fn\":\"add\",\"in\":[\"x\",\"y\"],\"out\":[],\"error\":\"shapes\"}]", 1,
           "FAIL self/no: was accepted; expected a refusal: shapes");
    expect("fails", "[{\"id\":\"no\",\"kind\":\"math\",\"fn\":\"add\",\"in\":[\"x\",\"sixes\"],\"out\":[\"good\"]}]", 1,
           "FAIL self/no");
    expect("hash",
           "[{\"id\":\"h\"," FIVES
           "\"out\":[\"fives\"],\"sampled\":{\"fives\":{\"shape\":[3],\"step\":1,\"sha256\":\"00\"}}}]",
           1, "FAIL self/h");
    expect("draw", "[{\"id\":\"d\"," FIVES "\"out\":[\"fives\"]}]", 0, "1 passed, 0 failed");
    expect("another draw", "[{\"id\":\"d\"," FIVES "\"out\":[\"sixes\"]}]", 1, "got 5 (0x5), expected 6 (0x6)");
    expect(
        "large number",
        "[{\"id\":\"d\",\"kind\":\"random\",\"fn\":\"bits\",\"n\":[9223372036854775808, -1, 2.5e3, "
        "\"9\\\"9\"],\"params\":{\"key\":[0,0],"
        "\"shape\":[0],\"dtype\":\"uint32\"},\"out\":[]}]",
        0, "1 passed, 0 failed");
    expect(
        "text",
        "[{\"id\":\"v\",\"kind\":\"visual\",\"fn\":\"visualize_sharding\",\"params\":{\"mesh\":\"x=1\","
        "\"spec\":\"\",\"shape\":[4]},"
        "\"text\":\"┌───────┐\\n│ CPU 0 │\\n└───────┘\\n\"}]",
        0, "1 passed, 0 failed");
    expect(
        "another text",
        "[{\"id\":\"v\",\"kind\":\"visual\",\"fn\":\"visualize_sharding\",\"params\":{\"mesh\":\"x=1\","
        "\"spec\":\"\",\"shape\":[4]},"
        "\"text\":\"┌───────┐\\n│ CPU 1 │\\n└───────┘\\n\"}]",
        1, "FAIL self/v: the text differs in line 2");
    expect("unknown kind", "[{\"id\":\"u\",\"kind\":\"magic\"}]", 1, "FAIL self/u: the runner does not know");
    expect("unknown function",
           "[{\"id\":\"u\",\"kind\":\"math\",\"fn\":\"frobnicate\",\"in\":[\"x\"],\"out\":[\"x\"]}]", 1,
           "FAIL self/u: the runner does not know \"frobnicate\"");
}

/* What is known to miss is no failure, in the modes that its row names; what passes nevertheless is told. A suite can
 * be left out. */
static void lists(void)
{
    const char *miss = "[" ADD("far", "other", EXACT) "]", *good = "[" ADD("far", "good", EXACT) "]";
    put("cases.json", miss);
    put("../lists/known.txt", "self\tfar\tuser\ta reason\t1 ulp\n");
    CHECK(run("--mode user") == 0 && strstr(printed, "known self/far: other: 1 of 5 elements differ") &&
          strstr(printed, "known to miss: self/far (a reason; 1 ulp)") &&
          strstr(printed, "0 passed, 0 failed, 1 skipped"), "%s", printed);
    CHECK(run("--mode reproducible") == 1 && strstr(printed, "FAIL self/far"), "another mode: %s", printed);
    put("../lists/known.txt", "self\tfar\tany isa:none\ta reason\t1 ulp\n");
    CHECK(run("--mode user") == 1, "other switches: %s", printed);
    put("../lists/known.txt", "self\tfar\tany\ta reason\t1 ulp\n");
    put("cases.json", good);
    CHECK(run("--mode reproducible") == 0 && strstr(printed, "note: self/far is known to miss, and passes"), "%s",
          printed);
    put("../lists/known.txt", "self\t*\tany\tnot yet\t-\n");
    CHECK(run("") == 0 && strstr(printed, "the suite self is left out: not yet") &&
          strstr(printed, "0 passed, 0 failed, 1 skipped"), "%s", printed);
    put("../lists/known.txt", "self\tfar\tany\n");
    CHECK(run("") == 1 && strstr(printed, "FAIL known.txt: a row of 3 fields instead of 5"), "%s", printed);
    put("../lists/known.txt", "");
}

/* One in three runs as users run: of these thirty some, and not all; the same ones every time. */
static void modes(void)
{
    char text[8192] = "[";
    for (int i = 0; i < 30; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "%s{\"id\":\"m%d\",\"kind\":\"math\",\"fn\":\"add\",\"in\":[\"x\",\"y\"],\"out\":[\"other\"]}",
                 i ? "," : "", i);
    strcat(text, "]");
    put("cases.json", text);
    put("../lists/known.txt", "");
    char rows[8192] = "";
    for (int i = 0; i < 30; i++)
        snprintf(rows + strlen(rows), sizeof rows - strlen(rows), "self\tm%d\tuser\ta reason\t1 ulp\n", i);
    put("../lists/known.txt", rows);
    int n[2] = { -1, -2 };
    for (int k = 0; k < 2; k++) {
        run("");
        const char *last = strstr(printed, "0 passed, ");
        while (last && strstr(last + 1, "0 passed, ")) last = strstr(last + 1, "0 passed, ");
        if (last) sscanf(last, "0 passed, %*d failed, %d", &n[k]);
    }
    CHECK(n[0] == n[1] && n[0] > 3 && n[0] < 20, "%d and %d of 30 ran as users run", n[0], n[1]);
    put("../lists/known.txt", "");
}

static void folders(void)
{
    expect("damaged cases", "[{\"id\":", 1, "FAIL self: cases or arrays do not read");
    put("arrays.npz", "PK");
    expect("damaged arrays", "[" ADD("a", "good", EXACT) "]", 1, "FAIL self: cases or arrays do not read");
    CHECK(run("nosuch") == 1 && strstr(printed, "FAIL nosuch: no such suite"), "%s", printed);
    remove(strcat(strcpy(printed, dir), "/self/cases.json"));
    CHECK(run("") == 1 && strstr(printed, "FAIL: no suite"), "%s", printed);
}

/* The runner's own files switch no engine off: the words that they give are those of layouts. */
static void sources(void)
{
    static const char command[] = "grep -hoE '(tt_config|setenv)\\([^)]*\\)' tests/oracle.c tests/oracle/*.c | sort -u";
    static const char *const fine[] = { "tt_config(\"devices:8\")", "tt_config(\"even\")" };
    char text[256];
    int n = 0;
    FILE *const f = popen(command, "r");
    while (f && fgets(text, sizeof text, f)) {
        bool known = false;
        text[strcspn(text, "\n")] = 0;
        for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) known |= !strcmp(text, fine[i]);
        CHECK(known, "the runner has %s", text);
        n++;
    }
    if (f) pclose(f);
    CHECK(n == 2, "%d calls found", n);
}

int main(int argc, char **argv)
{
    if (!check_main_options(argc, argv, __FILE__, "")) return check_done();
    const char *slash = strrchr(argv[0], '/');
    char path[128];
    (void)argc;
    snprintf(runner, sizeof runner, "%.*soracle", slash ? (int)(slash + 1 - argv[0]) : 0, argv[0]);
    if (!mkdtemp(dir)) return 1;
    snprintf(path, sizeof path, "%s/self", dir);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/lists", dir);
    mkdir(path, 0700);
    put("../lists/known.txt", "");
    put("../lists/refusals.txt", "# of these cases\nmath\tadd\tshapes\tESHAPE\tdo not broadcast\n"
                                 "math\tadd\ttypes\tETYPE\t.\nmath\t.*\twords\tESHAPE\tnothing of the kind\n");
    write_arrays();
    numbers();
    others();
    lists();
    modes();
    folders();
    sources();
    snprintf(path, sizeof path, "rm -rf %s", dir);
    CHECK(system(path) == 0, "%s", path);
    return check_done();
}
