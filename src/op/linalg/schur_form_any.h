/* op/linalg/schur_form_any.h - second part of matrix_any.h: Hessenberg form, Schur form, QR with pivoting, tridiagonal
 * systems.
 *
 * The Schur form is computed by the QR algorithm on a Hessenberg matrix: for reals with two shifts at once (Francis),
 * its 2 x 2 blocks in LAPACK's standard form (equal diagonal, off-diagonal numbers of opposite signs); for complex
 * numbers with one. */

/* a[m, n] -= tau (a v) v' */
static void reflect_right(int64_t m, int64_t n, num *a, int64_t width, const num *v, int64_t step, num tau)
{
    for (int64_t i = 0; i < m; i++) {
        num *const x = a + i * width, sum = x[0];
        for (int64_t j = 1; j < n; j++) sum += x[j] * v[j * step];
        sum *= tau;
        x[0] -= sum;
        for (int64_t j = 1; j < n; j++) x[j] -= sum * CONJ(v[j * step]);
    }
}

static void any_hessenberg(int64_t n, void *a, void *tau, void *row)
{
    num *const t = tau;
    for (int64_t k = 0; k + 1 < n; k++) {
        num *const x = matrix_row_of(a, k + 1, n) + k;
        const double beta = reflector(n - k - 1, x, n, &t[k]);
        reflect_right(n, n - k - 1, (num *)a + k + 1, n, x, n, t[k]);
        reflect(n - k - 1, n - k - 1, x + 1, n, x, n, CONJ(t[k]), row);
        x[0] = beta;
    }
}

static void swap_columns(int64_t m, int64_t n, num *a, int64_t i, int64_t j)
{
    for (int64_t r = 0; r < m; r++) {
        const num t = a[r * n + i];
        a[r * n + i] = a[r * n + j], a[r * n + j] = t;
    }
}

static double column_size(int64_t m, int64_t n, const num *x) /* squared norm of a column */
{
    double sum = 0;
    for (int64_t i = 0; i < m; i++) sum += SIZE(x[i * n]) * SIZE(x[i * n]);
    return sum;
}

static void any_pivoted(int64_t m, int64_t n, void *a, int32_t *pivot, void *tau, void *row)
{
    num *const t = tau;
    int64_t fixed = 0;
    for (int64_t j = 0; j < n; j++) {
        const bool first = pivot[j] != 0;
        pivot[j] = (int32_t)j + 1;
        if (!first) continue;
        swap_columns(m, n, a, j, fixed);
        pivot[j] = pivot[fixed], pivot[fixed++] = (int32_t)j + 1;
    }
    for (int64_t k = 0; k < m && k < n; k++) {
        int64_t best = k;
        for (int64_t j = k; k >= fixed && j < n; j++)
            if (column_size(m - k, n, matrix_row_of(a, k, n) + j) > column_size(m - k, n,
                matrix_row_of(a, k, n) + best)) best = j;
        const int32_t p = pivot[k];
        swap_columns(m, n, a, k, best);
        pivot[k] = pivot[best], pivot[best] = p;
        num *const x = matrix_row_of(a, k, n) + k;
        const double beta = reflector(m - k, x, n, &t[k]);
        reflect(m - k, n - k - 1, x + 1, n, x, n, CONJ(t[k]), row);
        x[0] = beta;
    }
}

/* ---- tridiagonal systems ---- */

/* Returns a pivot that can divide *x, where numbers below `tiny` count as zero; *x may be scaled with the pivot. Each
 * right side is treated separately, so that its result does not depend on the other right sides. */
static num sound(num pivot, double move, double tiny, num *x)
{
    const double most = SIZE(*x);
    move = copysign(fmax(move, tiny), RE(pivot));
    while (SIZE(pivot) < 1) {
        const double size = SIZE(pivot);
        if (size < tiny && size != 0 && most * tiny <= size) {
            *x /= tiny;
            return pivot / tiny;
        }
        if (size >= tiny && most <= size / tiny) break;
        pivot += move, move *= 2;
    }
    return pivot;
}

/* Eliminates the number below the diagonal from rows at and at + 1. turn: exchanges the rows first; `second` is the
 * second diagonal above. */
static void eliminate(int64_t n, int64_t k, int64_t at, num *low, num *mid, num *high, num *second, num *b, bool turn)
{
    num *const x = b + at * k, *const y = x + k;
    const num up = at + 2 < n ? high[at + 1] : 0;
    if (!turn) {
        const num f = low[at + 1] == 0 ? 0 : low[at + 1] / mid[at];
        mid[at + 1] -= f * high[at], second[at] = 0;
        for (int64_t q = 0; q < k; q++) y[q] -= f * x[q];
        return;
    }
    const num f = mid[at] / low[at + 1], right = high[at];
    mid[at] = low[at + 1], high[at] = mid[at + 1], second[at] = up;
    mid[at + 1] = right - f * high[at], high[at + 1] = -f * up;
    for (int64_t q = 0; q < k; q++) {
        const num t = x[q];
        x[q] = y[q], y[q] = t - f * y[q];
    }
}

static bool any_three(int64_t n, int64_t k, void *l, void *d, void *u, void *right, void *buffer, double epsilon)
{
    num *const low = l, *const mid = d, *const high = u, *const b = right, *const second = buffer;
    const double tiny = epsilon > DBL_EPSILON ? FLT_MIN : DBL_MIN; /* for f32 results FLT_MIN */
    double most = 0, scale = n ? SIZE(mid[0]) + (n > 1 ? SIZE(high[0]) : 0) : 0;
    if (n) second[n - 1] = high[n - 1] = 0;
    for (int64_t i = 0; i + 1 < n; i++) {
        const double next = SIZE(low[i + 1]) + SIZE(mid[i + 1]) + (i + 2 < n ? SIZE(high[i + 1]) : 0);
        bool turn = SIZE1(mid[i]) < SIZE1(low[i + 1]);
        if (epsilon > 0) turn = low[i + 1] != 0 && (mid[i] == 0 ? 0 : SIZE(mid[i]) / scale) < SIZE(low[i + 1]) / next;
        if (!turn && mid[i] == 0 && epsilon == 0) return false;
        eliminate(n, k, i, low, mid, high, second, b, turn);
        scale = turn ? SIZE(mid[i + 1]) + SIZE(high[i + 1]) : next;
        most = fmax(most, fmax(SIZE(mid[i]), fmax(SIZE(high[i]), SIZE(second[i]))));
    }
    if (n && epsilon == 0 && mid[n - 1] == 0) return false;
    if (n) most = fmax(most, SIZE(mid[n - 1]));
    for (int64_t i = n - 1; i >= 0; i--) {
        num *const x = b + i * k;
        for (int64_t q = 0; q < k; q++) {
            if (i + 1 < n) x[q] -= high[i] * x[k + q];
            if (i + 2 < n) x[q] -= second[i] * x[2 * k + q];
        }
        for (int64_t q = 0; q < k; q++) {
            const num pivot = epsilon > 0 ? sound(mid[i], epsilon * most, tiny, x + q) : mid[i];
            x[q] /= pivot;
        }
    }
    return true;
}

/* ---- Schur's form ---- */

enum { TURNS = 60 }; /* maximum number of iterations of the QR algorithm per eigenvalue */

/* The first row l, searched upwards from hi, with a negligible number left of the diagonal, which is set to 0. */
static int64_t deflate(int64_t n, num *h, int64_t hi)
{
    int64_t l = hi;
    for (; l > 0; l--) {
        num *const below = h + l * n + l - 1;
        const double size = SIZE1(h[(l - 1) * n + l - 1]) + SIZE1(h[l * n + l]);
        if (SIZE1(*below) > DBL_EPSILON * size && SIZE1(*below) > DBL_MIN) continue;
        *below = 0;
        break;
    }
    return l;
}

#if COMPLEX
/* Applies [c, s; -s', c], which maps (x, y) to (r, 0), to rows and columns k, k + 1. */
static void givens(int64_t n, int64_t k, int64_t from, int64_t to, num x, num y, num *h, num *z)
{
    const double r = hypot(SIZE(x), SIZE(y)), c = r > 0 ? SIZE(x) / r : 1;
    const num s = r > 0 ? (x == 0 ? CONJ(y) / r : x / SIZE(x) * CONJ(y) / r) : 0;
    for (int64_t j = from; j < n; j++) {
        num *const p = h + k * n + j, t = p[0];
        p[0] = c * t + s * p[n], p[n] = c * p[n] - CONJ(s) * t;
    }
    for (int64_t i = 0; i < to + n; i++) {
        num *const p = i < to ? h + i * n + k : z + (i - to) * n + k, t = p[0];
        p[0] = c * t + CONJ(s) * p[1], p[1] = c * p[1] - s * t;
    }
}

/* The eigenvalue of the last 2 x 2 block that is nearest to the block's corner; without convergence so far, another
 * shift. */
static num shift_of(int64_t n, const num *h, int64_t hi, int turn)
{
    const num *const p = h + (hi - 1) * n + hi - 1;
    if (turn % 10 == 9) return p[n + 1] + SIZE(p[n]);
    const num half = (p[0] - p[n + 1]) / 2, root = csqrt(half * half + p[1] * p[n]);
    const num far = RE(half) * RE(root) + cimag(half) * cimag(root) < 0 ? half - root : half + root;
    return far == 0 ? p[n + 1] : p[n + 1] - p[1] * p[n] / far;
}

static bool any_schur(int64_t n, void *matrix, void *vectors)
{
    num *const h = matrix, *const z = vectors;
    if (!finite_all(h, n * n)) return false;
    for (int64_t hi = n - 1, turn = 0; hi > 0;) {
        const int64_t l = deflate(n, h, hi);
        if (l == hi) {
            hi--, turn = 0;
            continue;
        }
        if (turn == TURNS) return false;
        const num shift = shift_of(n, h, hi, (int)turn++);
        num x = h[l * n + l] - shift, y = h[(l + 1) * n + l];
        for (int64_t k = l; k < hi; k++) {
            givens(n, k, k > l ? k - 1 : l, (k + 2 < hi ? k + 2 : hi) + 1, x, y, h, z);
            if (k > l) h[(k + 1) * n + k - 1] = 0;
            if (k + 1 < hi) x = h[(k + 1) * n + k], y = h[(k + 2) * n + k];
        }
    }
    return true;
}
#else
/* The rotation that makes [a, b; c, d] triangular or, for complex eigenvalues, its diagonal equal. */
static void standard(double *p, int64_t n, double *cs, double *sn)
{
    const double a = p[0], b = p[1], c = p[n], d = p[n + 1], half = (a - d) / 2, sum = b + c;
    *cs = 1, *sn = 0;
    if (c == 0 || (a == d && (b < 0) != (c < 0))) return;
    const double root = half * half + b * c;
    if (root >= 0) { /* two real eigenvalues: (lambda - d, c) is an eigenvector of one */
        const double far = half + copysign(sqrt(root), half), r = hypot(far, c);
        *cs = far / r, *sn = c / r;
        return;
    }
    const double r = hypot(sum, a - d);
    *cs = sqrt((1 + fabs(sum) / r) / 2);
    *sn = -half / (r * *cs) * copysign(1, sum);
}

static void standardised(int64_t n, int64_t k, double *h, double *z)
{
    double c, s, *const p = h + k * n + k;
    standard(p, n, &c, &s);
    const bool real = (p[0] - p[n + 1]) / 2 * ((p[0] - p[n + 1]) / 2) + p[1] * p[n] >= 0;
    for (int64_t j = k; j < n; j++) {
        double *const q = h + k * n + j, t = q[0];
        q[0] = c * t + s * q[n], q[n] = c * q[n] - s * t;
    }
    for (int64_t i = 0; i < k + 2 + n; i++) {
        double *const q = i < k + 2 ? h + i * n + k : z + (i - k - 2) * n + k, t = q[0];
        q[0] = c * t + s * q[1], q[1] = c * q[1] - s * t;
    }
    if (real) p[n] = 0;
    else p[0] = p[n + 1] = (p[0] + p[n + 1]) / 2;
}

/* The first column of (h - s1)(h - s2), from row m on; the shifts are given by their sum and product. */
static void first_column(int64_t n, const double *h, int64_t m, double sum, double product, double *v)
{
    const double *const p = h + m * n + m;
    v[0] = p[0] * (p[0] - sum) + product + p[1] * p[n];
    v[1] = p[n] * (p[0] + p[n + 1] - sum);
    v[2] = p[n] * p[2 * n + 1];
    const double most = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    for (int i = 0; most > 0 && i < 3; i++) v[i] /= most;
}

/* One Francis sweep on rows l .. hi, hi - l at least 2. */
static void francis(int64_t n, int64_t l, int64_t hi, int turn, double *h, double *z)
{
    const double *const p = h + (hi - 1) * n + hi - 1;
    double sum = p[0] + p[n + 1], product = p[0] * p[n + 1] - p[1] * p[n], v[3], tau;
    int64_t m = hi - 2;
    if (turn % 10 == 9) { /* no convergence so far: exceptional shifts */
        const double s = fabs(p[n]) + fabs(h[(hi - 1) * n + hi - 2]), a = 0.75 * s + p[n + 1];
        sum = 2 * a, product = a * a + 0.4375 * s * s;
    }
    for (;; m--) {
        first_column(n, h, m, sum, product, v);
        if (m == l) break;
        const double *const q = h + m * n + m, near = fabs(q[-n - 1]) + fabs(q[0]) + fabs(q[n + 1]);
        if (fabs(q[-1]) * (fabs(v[1]) + fabs(v[2])) <= DBL_EPSILON * fabs(v[0]) * near) break;
    }
    for (int64_t k = m; k < hi; k++) {
        const int64_t r = hi - k + 1 < 3 ? hi - k + 1 : 3;
        for (int64_t i = 0; k > m && i < r; i++) v[i] = h[(k + i) * n + k - 1];
        const double beta = reflector(r, v, 1, &tau);
        v[0] = 1;
        for (int64_t i = 0; k > m && i < r; i++) h[(k + i) * n + k - 1] = i ? 0 : beta;
        if (k == m && m > l) h[k * n + k - 1] *= 1 - tau;
        for (int64_t j = k; j < n; j++) {
            double *const x = h + k * n + j, s = 0;
            for (int64_t i = 0; i < r; i++) s += v[i] * x[i * n];
            for (int64_t i = 0; i < r; i++) x[i * n] -= tau * s * v[i];
        }
        reflect_right((k + 3 < hi ? k + 3 : hi) + 1, r, h + k, n, v, 1, tau);
        reflect_right(n, r, z + k, n, v, 1, tau);
    }
    for (int64_t i = m + 2; i <= hi; i++) /* clears the numbers below the subdiagonal */
        for (int64_t j = m; j + 1 < i; j++) h[i * n + j] = 0;
}

static bool any_schur(int64_t n, void *matrix, void *vectors)
{
    double *const h = matrix, *const z = vectors;
    if (!finite_all(h, n * n)) return false;
    for (int64_t hi = n - 1, turn = 0; hi > 0;) {
        const int64_t l = deflate(n, h, hi);
        if (l + 1 >= hi) {
            if (l < hi) standardised(n, l, h, z);
            hi = l - 1, turn = 0;
            continue;
        }
        if (turn == TURNS) return false;
        francis(n, l, hi, (int)turn++, h, z);
    }
    return true;
}
#endif

#define KIT                                                                                                            \
    {                                                                                                                  \
        sizeof(num), any_load, any_store, any_mirror, any_spoil, any_cholesky, any_solve, any_lu, any_qr,              \
            any_reflectors, any_eigh, any_hessenberg, any_tridiagonal, any_pivoted, any_three, any_schur, any_svd      \
    }
