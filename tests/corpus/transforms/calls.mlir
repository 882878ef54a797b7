module @jit_calls attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf64>, %arg1: tensor<3xf64>) -> (tensor<3xf64> {jax.result_info = "result"}) {
    %0 = call @"<lambda>"(%arg0, %arg1) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %1 = call @"<lambda>"(%arg1, %arg0) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %2 = stablehlo.add %0, %1 : tensor<3xf64>
    return %2 : tensor<3xf64>
  }
  func.func private @"<lambda>"(%arg0: tensor<3xf64>, %arg1: tensor<3xf64>) -> tensor<3xf64> {
    %0 = stablehlo.compare GT, %arg0, %arg1, FLOAT : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xi1>
    %1 = stablehlo.multiply %arg0, %arg1 : tensor<3xf64>
    %2 = stablehlo.exponential %arg0 : tensor<3xf64>
    %3 = stablehlo.subtract %2, %arg1 : tensor<3xf64>
    %4 = call @_where(%0, %1, %3) : (tensor<3xi1>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    return %4 : tensor<3xf64>
  }
  func.func private @_where(%arg0: tensor<3xi1>, %arg1: tensor<3xf64>, %arg2: tensor<3xf64>) -> tensor<3xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3xi1>, tensor<3xf64>
    return %0 : tensor<3xf64>
  }
}
