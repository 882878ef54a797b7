module @jit_cumulative_one attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x4xf64>, %arg1: tensor<1x4xf64>) -> (tensor<1x4xf64> {jax.result_info = "result[0]"}, tensor<1x4xf64> {jax.result_info = "result[1]"}, tensor<4x1xf64> {jax.result_info = "result[2]"}, tensor<1x4xf64> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.complex %arg0, %arg1 : tensor<1x4xcomplex<f64>>
    %1 = call @cumprod(%arg0) : (tensor<1x4xf64>) -> tensor<1x4xf64>
    %2 = call @cumlogsumexp(%arg0) : (tensor<1x4xf64>) -> tensor<1x4xf64>
    %3 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<1x4xf64>) -> tensor<4x1xf64>
    %4 = call @cumprod_1(%3) : (tensor<4x1xf64>) -> tensor<4x1xf64>
    %5 = call @cumprod_2(%0) : (tensor<1x4xcomplex<f64>>) -> tensor<1x4xcomplex<f64>>
    %6 = call @cumprod_4(%0) : (tensor<1x4xcomplex<f64>>) -> tensor<1x4xcomplex<f64>>
    %7 = stablehlo.multiply %5, %6 : tensor<1x4xcomplex<f64>>
    %8 = stablehlo.real %7 : (tensor<1x4xcomplex<f64>>) -> tensor<1x4xf64>
    return %1, %2, %4, %8 : tensor<1x4xf64>, tensor<1x4xf64>, tensor<4x1xf64>, tensor<1x4xf64>
  }
  func.func private @cumprod(%arg0: tensor<1x4xf64>) -> tensor<1x4xf64> {
    %0 = call @cumprod_0(%arg0) : (tensor<1x4xf64>) -> tensor<1x4xf64>
    return %0 : tensor<1x4xf64>
  }
  func.func private @cumprod_0(%arg0: tensor<1x4xf64>) -> tensor<1x4xf64> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %1 = stablehlo.multiply %arg1, %arg2 : tensor<f64>
      stablehlo.return %1 : tensor<f64>
    }) : (tensor<1x4xf64>, tensor<f64>) -> tensor<1x4xf64>
    return %0 : tensor<1x4xf64>
  }
  func.func private @cumlogsumexp(%arg0: tensor<1x4xf64>) -> tensor<1x4xf64> {
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %1 = stablehlo.maximum %arg1, %arg2 : tensor<f64>
      %2 = stablehlo.subtract %arg1, %arg2 : tensor<f64>
      %3 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %4 = stablehlo.add %arg1, %arg2 : tensor<f64>
      %5 = stablehlo.abs %2 : tensor<f64>
      %6 = stablehlo.negate %5 : tensor<f64>
      %7 = stablehlo.exponential %6 : tensor<f64>
      %8 = stablehlo.log_plus_one %7 : tensor<f64>
      %9 = stablehlo.add %1, %8 : tensor<f64>
      %10 = stablehlo.select %3, %4, %9 : tensor<i1>, tensor<f64>
      stablehlo.return %10 : tensor<f64>
    }) : (tensor<1x4xf64>, tensor<f64>) -> tensor<1x4xf64>
    return %0 : tensor<1x4xf64>
  }
  func.func private @cumprod_1(%arg0: tensor<4x1xf64>) -> tensor<4x1xf64> {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f64>, %arg2: tensor<f64>):
      %1 = stablehlo.multiply %arg1, %arg2 : tensor<f64>
      stablehlo.return %1 : tensor<f64>
    }) : (tensor<4x1xf64>, tensor<f64>) -> tensor<4x1xf64>
    return %0 : tensor<4x1xf64>
  }
  func.func private @cumprod_2(%arg0: tensor<1x4xcomplex<f64>>) -> tensor<1x4xcomplex<f64>> {
    %0 = call @cumprod_3(%arg0) : (tensor<1x4xcomplex<f64>>) -> tensor<1x4xcomplex<f64>>
    return %0 : tensor<1x4xcomplex<f64>>
  }
  func.func private @cumprod_3(%arg0: tensor<1x4xcomplex<f64>>) -> tensor<1x4xcomplex<f64>> {
    %cst = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f64>>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<complex<f64>>, %arg2: tensor<complex<f64>>):
      %1 = stablehlo.multiply %arg1, %arg2 : tensor<complex<f64>>
      stablehlo.return %1 : tensor<complex<f64>>
    }) : (tensor<1x4xcomplex<f64>>, tensor<complex<f64>>) -> tensor<1x4xcomplex<f64>>
    return %0 : tensor<1x4xcomplex<f64>>
  }
  func.func private @cumprod_4(%arg0: tensor<1x4xcomplex<f64>>) -> tensor<1x4xcomplex<f64>> {
    %0 = call @cumprod_5(%arg0) : (tensor<1x4xcomplex<f64>>) -> tensor<1x4xcomplex<f64>>
    return %0 : tensor<1x4xcomplex<f64>>
  }
  func.func private @cumprod_5(%arg0: tensor<1x4xcomplex<f64>>) -> tensor<1x4xcomplex<f64>> {
    %cst = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f64>>
    %0 = "stablehlo.reduce_window"(%arg0, %cst) <{base_dilations = array<i64: 1, 1>, padding = dense<[[0, 0], [3, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 4>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<complex<f64>>, %arg2: tensor<complex<f64>>):
      %1 = stablehlo.multiply %arg1, %arg2 : tensor<complex<f64>>
      stablehlo.return %1 : tensor<complex<f64>>
    }) : (tensor<1x4xcomplex<f64>>, tensor<complex<f64>>) -> tensor<1x4xcomplex<f64>>
    return %0 : tensor<1x4xcomplex<f64>>
  }
}
