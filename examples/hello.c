/* hello.c - a value laid out over eight devices. */
#include <tutti.h>

int main(void)
{
    tt_mesh mesh = tt_mesh("i:8");
    tt_val  a    = tt_shard(tt_arange(TT_F32, 8), mesh, "i");
    tt_show(a);
    tt_show(tt_relu(a));
    return tt_done();
}
