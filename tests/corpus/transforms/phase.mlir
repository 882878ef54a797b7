module @jit_phase attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf64>, %arg1: tensor<3xf64>) -> (tensor<3xf64> {jax.result_info = "result[0]"}, tensor<3xf64> {jax.result_info = "result[1]"}, tensor<3xf64> {jax.result_info = "result[2]"}, tensor<3xf64> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.complex %arg0, %arg1 : tensor<3xcomplex<f64>>
    %1 = stablehlo.exponential %0 : tensor<3xcomplex<f64>>
    %2 = stablehlo.real %0 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
    %3 = stablehlo.imag %0 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
    %4 = stablehlo.negate %3 : tensor<3xf64>
    %5 = stablehlo.complex %2, %4 : tensor<3xcomplex<f64>>
    %6 = stablehlo.multiply %1, %5 : tensor<3xcomplex<f64>>
    %7 = stablehlo.sqrt %0 : tensor<3xcomplex<f64>>
    %8 = stablehlo.multiply %0, %0 : tensor<3xcomplex<f64>>
    %9 = stablehlo.divide %7, %8 : tensor<3xcomplex<f64>>
    %10 = stablehlo.add %6, %9 : tensor<3xcomplex<f64>>
    %11 = stablehlo.sign %0 : tensor<3xcomplex<f64>>
    %12 = stablehlo.real %11 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
    %13 = stablehlo.sign %10 : tensor<3xcomplex<f64>>
    %14 = stablehlo.imag %13 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
    %15 = stablehlo.add %12, %14 : tensor<3xf64>
    %16 = stablehlo.abs %10 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
    %17 = stablehlo.log %0 : tensor<3xcomplex<f64>>
    %18 = stablehlo.real %17 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
    %19 = call @angle(%0) : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
    return %15, %16, %18, %19 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
  }
  func.func private @angle(%arg0: tensor<3xcomplex<f64>>) -> tensor<3xf64> {
    %0 = stablehlo.real %arg0 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
    %1 = stablehlo.imag %arg0 : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
    %2 = stablehlo.atan2 %1, %0 : tensor<3xf64>
    return %2 : tensor<3xf64>
  }
}
