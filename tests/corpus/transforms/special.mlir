module @jit_special attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf64>) -> (tensor<4xf64> {jax.result_info = "result[0]"}, tensor<4xf64> {jax.result_info = "result[1]"}, tensor<4xf64> {jax.result_info = "result[2]"}, tensor<4xf64> {jax.result_info = "result[3]"}, tensor<4xf64> {jax.result_info = "result[4]"}, tensor<4xf64> {jax.result_info = "result[5]"}, tensor<4xf64> {jax.result_info = "result[6]"}, tensor<4xf64> {jax.result_info = "result[7]"}) {
    %0 = chlo.erf %arg0 : tensor<4xf64> -> tensor<4xf64>
    %1 = chlo.lgamma %arg0 : tensor<4xf64> -> tensor<4xf64>
    %2 = chlo.digamma %arg0 : tensor<4xf64> -> tensor<4xf64>
    %3 = chlo.erf_inv %arg0 : tensor<4xf64> -> tensor<4xf64>
    %4 = chlo.asin %arg0 : tensor<4xf64> -> tensor<4xf64>
    %5 = chlo.atanh %arg0 : tensor<4xf64> -> tensor<4xf64>
    %6 = stablehlo.cbrt %arg0 : tensor<4xf64>
    %cst = stablehlo.constant dense<2.500000e+00> : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %8 = stablehlo.power %arg0, %7 : tensor<4xf64>
    return %0, %1, %2, %3, %4, %5, %6, %8 : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
  }
}
