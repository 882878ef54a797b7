module @jit_batched attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2xf64>, %arg1: tensor<3x2xf64>) -> (tensor<3x2xf64> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0:3 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %c, %iterArg_1 = %arg1) : tensor<2xf64>, tensor<i64>, tensor<3x2xf64>
    cond {
      %c_2 = stablehlo.constant dense<3> : tensor<i64>
      %1 = stablehlo.compare LT, %iterArg_0, %c_2, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<1> : tensor<i64>
      %1 = stablehlo.add %iterArg_0, %c_2 : tensor<i64>
      %2 = stablehlo.broadcast_in_dim %iterArg, dims = [1] : (tensor<2xf64>) -> tensor<1x2xf64>
      %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x2xf64>) -> tensor<3x2xf64>
      %4 = stablehlo.multiply %iterArg_1, %3 : tensor<3x2xf64>
      %5 = stablehlo.sine %4 : tensor<3x2xf64>
      stablehlo.return %iterArg, %1, %5 : tensor<2xf64>, tensor<i64>, tensor<3x2xf64>
    }
    return %0#2 : tensor<3x2xf64>
  }
}
