module @jit_fori attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x3xf64>, %arg1: tensor<3xf64>) -> (tensor<3xf64> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0:5 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %arg1, %iterArg_2 = %c_0, %iterArg_3 = %c, %iterArg_4 = %arg1) : tensor<3x3xf64>, tensor<3xf64>, tensor<i64>, tensor<i64>, tensor<3xf64>
    cond {
      %c_5 = stablehlo.constant dense<4> : tensor<i64>
      %1 = stablehlo.compare LT, %iterArg_2, %c_5, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1:2 = func.call @closed_call(%iterArg, %iterArg_1, %iterArg_3, %iterArg_4) : (tensor<3x3xf64>, tensor<3xf64>, tensor<i64>, tensor<3xf64>) -> (tensor<i64>, tensor<3xf64>)
      %c_5 = stablehlo.constant dense<1> : tensor<i64>
      %2 = stablehlo.add %iterArg_2, %c_5 : tensor<i64>
      stablehlo.return %iterArg, %iterArg_1, %2, %1#0, %1#1 : tensor<3x3xf64>, tensor<3xf64>, tensor<i64>, tensor<i64>, tensor<3xf64>
    }
    return %0#4 : tensor<3xf64>
  }
  func.func private @closed_call(%arg0: tensor<3x3xf64>, %arg1: tensor<3xf64>, %arg2: tensor<i64>, %arg3: tensor<3xf64>) -> (tensor<i64>, tensor<3xf64>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg2, %c : tensor<i64>
    %1 = stablehlo.dot_general %arg0, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %2 = stablehlo.tanh %1 : tensor<3xf64>
    %3 = stablehlo.convert %arg2 : (tensor<i64>) -> tensor<f64>
    %cst = stablehlo.constant dense<1.000000e-01> : tensor<f64>
    %4 = stablehlo.multiply %cst, %3 : tensor<f64>
    %5 = stablehlo.convert %4 : tensor<f64>
    %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %7 = stablehlo.multiply %6, %arg1 : tensor<3xf64>
    %8 = stablehlo.add %2, %7 : tensor<3xf64>
    return %0, %8 : tensor<i64>, tensor<3xf64>
  }
}
