module @jit_slices attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x4xf64>, %arg1: tensor<2x3xf64>) -> (tensor<4x4xf64> {jax.result_info = "result[0]"}, tensor<2x6xf64> {jax.result_info = "result[1]"}, tensor<4x4xf64> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.slice %arg1 [0:1, 0:3] : (tensor<2x3xf64>) -> tensor<1x3xf64>
    %1 = stablehlo.reshape %0 : (tensor<1x3xf64>) -> tensor<3xf64>
    %2 = call @argmax(%1) : (tensor<3xf64>) -> tensor<i64>
    %c = stablehlo.constant dense<1> : tensor<i64>
    %3 = stablehlo.add %2, %c : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %4 = stablehlo.compare LT, %3, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_1 = stablehlo.constant dense<4> : tensor<i64>
    %5 = stablehlo.add %3, %c_1 : tensor<i64>
    %6 = stablehlo.select %4, %5, %3 : tensor<i1>, tensor<i64>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %7 = stablehlo.dynamic_slice %arg0, %6, %c_2, sizes = [2, 3] : (tensor<4x4xf64>, tensor<i64>, tensor<i64>) -> tensor<2x3xf64>
    %8 = stablehlo.multiply %7, %arg1 : tensor<2x3xf64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %9 = stablehlo.compare LT, %3, %c_3, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_4 = stablehlo.constant dense<4> : tensor<i64>
    %10 = stablehlo.add %3, %c_4 : tensor<i64>
    %11 = stablehlo.select %9, %10, %3 : tensor<i1>, tensor<i64>
    %c_5 = stablehlo.constant dense<0> : tensor<i64>
    %12 = stablehlo.dynamic_update_slice %arg0, %8, %c_5, %11 : (tensor<4x4xf64>, tensor<2x3xf64>, tensor<i64>, tensor<i64>) -> tensor<4x4xf64>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %13 = stablehlo.pad %arg1, %cst, low = [1, 0], high = [-1, 1], interior = [0, 1] : (tensor<2x3xf64>, tensor<f64>) -> tensor<2x6xf64>
    %14 = call @_flip(%arg0) : (tensor<4x4xf64>) -> tensor<4x4xf64>
    return %12, %13, %14 : tensor<4x4xf64>, tensor<2x6xf64>, tensor<4x4xf64>
  }
  func.func private @argmax(%arg0: tensor<3xf64>) -> tensor<i64> {
    %0 = stablehlo.iota dim = 0 : tensor<3xi64>
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<3xf64>, tensor<3xi64>, tensor<f64>, tensor<i64>) -> (tensor<f64>, tensor<i64>)
     reducer(%arg1: tensor<f64>, %arg3: tensor<f64>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f64>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<f64>, tensor<i64>
    }
    return %1#1 : tensor<i64>
  }
  func.func private @_flip(%arg0: tensor<4x4xf64>) -> tensor<4x4xf64> {
    %0 = stablehlo.reverse %arg0, dims = [1] : tensor<4x4xf64>
    return %0 : tensor<4x4xf64>
  }
}
