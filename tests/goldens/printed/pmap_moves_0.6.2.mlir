module @pmap__lambda_ attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 8 : i32} {
  func.func public @main(%arg0: tensor<1x8x2xf32>) -> (tensor<1x8x8x2xf32> {jax.result_info = "result[0]"}, tensor<1x2xf32> {jax.result_info = "result[1]"}, tensor<1x8x2xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.reshape %arg0 : (tensor<1x8x2xf32>) -> tensor<8x2xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1, 2] : (tensor<8x2xf32>) -> tensor<1x8x2xf32>
    %2 = "stablehlo.all_gather"(%1) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>}> : (tensor<1x8x2xf32>) -> tensor<8x8x2xf32>
    %3 = "stablehlo.reduce_scatter"(%0) <{replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, scatter_dimension = 0 : i64}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %9 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) : (tensor<8x2xf32>) -> tensor<1x2xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x2xf32>) -> tensor<2xf32>
    %5 = "stablehlo.all_to_all"(%0) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, split_count = 8 : i64, split_dimension = 0 : i64}> : (tensor<8x2xf32>) -> tensor<8x2xf32>
    %6 = stablehlo.broadcast_in_dim %2, dims = [1, 2, 3] : (tensor<8x8x2xf32>) -> tensor<1x8x8x2xf32>
    %7 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
    %8 = stablehlo.broadcast_in_dim %5, dims = [1, 2] : (tensor<8x2xf32>) -> tensor<1x8x2xf32>
    return %6, %7, %8 : tensor<1x8x8x2xf32>, tensor<1x2xf32>, tensor<1x8x2xf32>
  }
}
