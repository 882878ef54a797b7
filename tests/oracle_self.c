/* oracle_self.c - does the golden runner see what is wrong? Small suites are written here: as they are they pass; with
 * a number, a type, a shape, a text, a hash or a verdict changed they fail, by the case's name; what it does not know
 * is skipped by name. */
#include "check.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <tutti.h>

static char dir[] = "/tmp/tutti-oracle-XXXXXX", runner[1024], printed[1 << 16];

static void put(const char *name, const char *text)
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
    snprintf(command, sizeof command, "TUTTI_ORACLE= %s %s %s 2>&1", runner, dir, more);
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
static void others(void)
{
    expect(
        "refused",
        "[{\"id\":\"no\",\"kind\":\"math\",\"fn\":\"add\",\"in\":[\"x\",\"sixes\"],\"out\":[],\"error\":\"shapes\"}]",
        0, "1 passed, 0 failed");
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
    expect("unknown kind", "[{\"id\":\"u\",\"kind\":\"magic\"}]", 0, "self: magic");
    expect("unknown function",
           "[{\"id\":\"u\",\"kind\":\"math\",\"fn\":\"frobnicate\",\"in\":[\"x\"],\"out\":[\"x\"]}]", 0,
           "0 passed, 0 failed, 1 skipped");
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

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    char path[128];
    (void)argc;
    snprintf(runner, sizeof runner, "%.*soracle", slash ? (int)(slash + 1 - argv[0]) : 0, argv[0]);
    if (!mkdtemp(dir)) return 1;
    snprintf(path, sizeof path, "%s/self", dir);
    mkdir(path, 0700);
    write_arrays();
    numbers();
    others();
    folders();
    snprintf(path, sizeof path, "rm -rf %s", dir);
    CHECK(system(path) == 0, "%s", path);
    return check_done();
}
