module @jit_pool_grad attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x5xf64>) -> (tensor<5x5xf64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<f64>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 2, 2>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %10 = stablehlo.maximum %arg1, %arg2 : tensor<f64>
      stablehlo.return %10 : tensor<f64>
    }) : (tensor<5x5xf64>, tensor<f64>) -> tensor<3x3xf64>
    %2 = stablehlo.multiply %1, %1 : tensor<3x3xf64>
    %cst_0 = stablehlo.constant dense<3.000000e+00> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
    %4 = stablehlo.multiply %3, %2 : tensor<3x3xf64>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
    %6 = stablehlo.multiply %5, %4 : tensor<3x3xf64>
    %cst_2 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %7 = stablehlo.pad %arg0, %cst_2, low = [1, 1], high = [1, 1], interior = [0, 0] : (tensor<5x5xf64>, tensor<f64>) -> tensor<7x7xf64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %8 = "stablehlo.select_and_scatter"(%7, %6, %cst_3) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 2, 2>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %10 = stablehlo.compare GE, %arg1, %arg2, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      stablehlo.return %10 : tensor<i1>
    }, {
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %10 = stablehlo.add %arg1, %arg2 : tensor<f64>
      stablehlo.return %10 : tensor<f64>
    }) : (tensor<7x7xf64>, tensor<3x3xf64>, tensor<f64>) -> tensor<7x7xf64>
    %9 = stablehlo.slice %8 [1:6, 1:6] : (tensor<7x7xf64>) -> tensor<5x5xf64>
    return %9 : tensor<5x5xf64>
  }
}
