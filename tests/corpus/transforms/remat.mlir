module @jit_remat attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf64>, %arg1: tensor<3xf64>) -> (tensor<3xf64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %1:3 = stablehlo.optimization_barrier %arg0, %arg1, %0 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
    %2 = stablehlo.multiply %1#0, %1#1 : tensor<3xf64>
    %3 = stablehlo.sine %2 : tensor<3xf64>
    %4 = stablehlo.cosine %2 : tensor<3xf64>
    %5 = stablehlo.cosine %3 : tensor<3xf64>
    %6 = stablehlo.multiply %1#2, %5 : tensor<3xf64>
    %7 = stablehlo.multiply %6, %4 : tensor<3xf64>
    %8 = stablehlo.multiply %7, %1#1 : tensor<3xf64>
    return %8 : tensor<3xf64>
  }
}
