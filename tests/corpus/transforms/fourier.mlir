module @jit_fourier attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x6xf64>) -> (tensor<2x4xf64> {jax.result_info = "result[0]"}, tensor<2x6xf64> {jax.result_info = "result[1]"}) {
    %0 = call @fft(%arg0) : (tensor<2x6xf64>) -> tensor<2x4xcomplex<f64>>
    %1 = stablehlo.abs %0 : (tensor<2x4xcomplex<f64>>) -> tensor<2x4xf64>
    %2 = stablehlo.multiply %1, %1 : tensor<2x4xf64>
    %3 = call @fft(%arg0) : (tensor<2x6xf64>) -> tensor<2x4xcomplex<f64>>
    %cst = stablehlo.constant dense<(1.000000e+00,2.000000e+00)> : tensor<complex<f64>>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f64>>) -> tensor<2x4xcomplex<f64>>
    %5 = stablehlo.multiply %3, %4 : tensor<2x4xcomplex<f64>>
    %6 = call @fft_0(%5) : (tensor<2x4xcomplex<f64>>) -> tensor<2x6xf64>
    return %2, %6 : tensor<2x4xf64>, tensor<2x6xf64>
  }
  func.func private @fft(%arg0: tensor<2x6xf64>) -> tensor<2x4xcomplex<f64>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [6] : (tensor<2x6xf64>) -> tensor<2x4xcomplex<f64>>
    return %0 : tensor<2x4xcomplex<f64>>
  }
  func.func private @fft_0(%arg0: tensor<2x4xcomplex<f64>>) -> tensor<2x6xf64> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [6] : (tensor<2x4xcomplex<f64>>) -> tensor<2x6xf64>
    return %0 : tensor<2x6xf64>
  }
}
