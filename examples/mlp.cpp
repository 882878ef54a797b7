/* mlp.cpp - mlp.c in C++: a network of two layers by operators and lambdas, trained over a mesh. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <tutti.hpp>

TT_RECORD(layer, w, b);
TT_RECORD(net, in, out);

static tt_val dense(tt_val l, tt_val x)
{
    const layer p = layer_of(l);
    return tt_matmul(x, p.w) + p.b;
}

static tt_val fresh(tt_val key, int64_t in, int64_t out)
{
    return layer_val({ tt_normal(key, TT_F32, in, out) / std::sqrt(double(in)), tt_zeros(TT_F32, out) });
}

int main(int argc, char **argv)
{
    enum { BATCH = 64, EMBED = 32, HIDDEN = 256 };
    const int64_t steps = argc > 1 ? std::atoi(argv[1]) : 200;
    const double rate = 0.1;
    try {
        const tt_mesh mesh = tt_mesh("data:4");
        const tt_val x = tt_shard(tt_normal(tt_key(1), TT_F32, BATCH, EMBED), mesh, "data, _");
        const tt_val y = tt_tanh(tt_mean(x, .dims = "1", .keepdims = 1) * 4);
        auto loss = [](tt_val p, tt_val in, tt_val want) {
            const net n = net_of(p);
            return tt_mean(tt_square(dense(n.out, tt_tanh(dense(n.in, in))) - want));
        };
        auto update = [loss, rate](tt_val p, tt_val in, tt_val want) {
            const auto [l, g] = tt::unpack<2>(tt::value_and_grad(loss)(p, in, want));
            return tt_tuple(p - rate * g, l);
        };
        const tt::function train = tt::jit(update, "0");
        tt_val p = net_val({ fresh(tt_key(2), EMBED, HIDDEN), fresh(tt_key(3), HIDDEN, 1) }), l = tt_f(0);
        tt::steps loop(steps, "train");
        for (int64_t i : loop) {
            const auto [next, now] = tt::unpack<2>(train(p, x, y));
            tt_assign(&p, next);
            tt_assign(&l, now);
            tt_note(loop.get(), "step %lld, loss %.2e", static_cast<long long>(i), tt_num(l));
        }
        const auto bias = tt::read<float>(tt_get(p, "out.b"));
        std::printf("loss %.1e, bias %.3f, w %s\n", tt_num(l), double(bias[0]), tt_type_text(tt_get(p, "in.w")));
    } catch (const tt::error &e) {
        std::fprintf(stderr, "code %d at %s\n", int(e.code()), e.site().c_str());
        return e.code();
    }
    return tt_done();
}
