module @jit_windows attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf64>) -> (tensor<2x3xf64> {jax.result_info = "result[0]"}, tensor<4x6xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<f64>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %5 = stablehlo.maximum %arg1, %arg2 : tensor<f64>
      stablehlo.return %5 : tensor<f64>
    }) : (tensor<4x6xf64>, tensor<f64>) -> tensor<2x3xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<f64>
    %3 = "stablehlo.reduce_window"(%arg0, %2) <{base_dilations = array<i64: 1, 1>, padding = dense<[[1, 1], [0, 1]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %5 = stablehlo.add %arg1, %arg2 : tensor<f64>
      stablehlo.return %5 : tensor<f64>
    }) : (tensor<4x6xf64>, tensor<f64>) -> tensor<4x6xf64>
    %4 = stablehlo.multiply %1, %1 : tensor<2x3xf64>
    return %4, %3 : tensor<2x3xf64>, tensor<4x6xf64>
  }
}
