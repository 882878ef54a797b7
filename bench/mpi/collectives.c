/* collectives.c - MPI's own collectives of floats, for bench/ranks: a library that the program opens after it has
 * joined its job, compiled by each MPI library's own compiler, since their ABIs differ. */
#include <mpi.h>

enum { ALLREDUCE, ALLGATHER, REDUCE_SCATTER, BARRIER };

/* n: elements of the vector that all ranks have together, as in bench/ranks.c. */
__attribute__((visibility("default"))) void bench_mpi(int which, const float *x, float *y, int n)
{
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    switch (which) {
    case ALLREDUCE: MPI_Allreduce(x, y, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); break;
    case ALLGATHER: MPI_Allgather(x, n / ranks, MPI_FLOAT, y, n / ranks, MPI_FLOAT, MPI_COMM_WORLD); break;
    case REDUCE_SCATTER: MPI_Reduce_scatter_block(x, y, n / ranks, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); break;
    case BARRIER: MPI_Barrier(MPI_COMM_WORLD); break;
    }
}
