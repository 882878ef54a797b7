module @jit_dots attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3x4xf64>, %arg1: tensor<2x4x3xf64>) -> (tensor<2x3x3xf64> {jax.result_info = "result[0]"}, tensor<3x4xf64> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.dot_general %arg1, %arg0, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<2x4x3xf64>, tensor<2x3x4xf64>) -> tensor<2x3x3xf64>
    %1 = stablehlo.transpose %arg1, dims = [0, 2, 1] : (tensor<2x4x3xf64>) -> tensor<2x3x4xf64>
    %2 = stablehlo.dot_general %arg0, %1, batching_dims = [1, 2] x [1, 2], contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x3x4xf64>, tensor<2x3x4xf64>) -> tensor<3x4xf64>
    return %0, %2 : tensor<2x3x3xf64>, tensor<3x4xf64>
  }
}
