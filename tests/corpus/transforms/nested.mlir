module @jit_nested attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf64>, %arg1: tensor<2xf64>) -> (tensor<2xf64> {jax.result_info = "result[0]"}, tensor<2xf64> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:5 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %arg0, %iterArg_1 = %c, %iterArg_2 = %arg1, %iterArg_3 = %0) : tensor<2xf64>, tensor<3xf64>, tensor<i64>, tensor<2xf64>, tensor<2xf64>
    cond {
      %c_4 = stablehlo.constant dense<2> : tensor<i64>
      %2 = stablehlo.compare LT, %iterArg_1, %c_4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_1) : (tensor<2xf64>, tensor<i64>) -> tensor<f64>
      %3:2 = func.call @closed_call(%iterArg_0, %iterArg_2, %2) : (tensor<3xf64>, tensor<2xf64>, tensor<f64>) -> (tensor<2xf64>, tensor<f64>)
      %4 = func.call @dynamic_update_index_in_dim(%iterArg_3, %3#1, %iterArg_1) : (tensor<2xf64>, tensor<f64>, tensor<i64>) -> tensor<2xf64>
      %c_4 = stablehlo.constant dense<1> : tensor<i64>
      %5 = stablehlo.add %iterArg_1, %c_4 : tensor<i64>
      stablehlo.return %iterArg, %iterArg_0, %5, %3#0, %4 : tensor<2xf64>, tensor<3xf64>, tensor<i64>, tensor<2xf64>, tensor<2xf64>
    }
    return %1#3, %1#4 : tensor<2xf64>, tensor<2xf64>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<2xf64>, %arg1: tensor<i64>) -> tensor<f64> {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<2xf64>, tensor<i64>) -> tensor<1xf64>
    %1 = stablehlo.reshape %0 : (tensor<1xf64>) -> tensor<f64>
    return %1 : tensor<f64>
  }
  func.func private @closed_call(%arg0: tensor<3xf64>, %arg1: tensor<2xf64>, %arg2: tensor<f64>) -> (tensor<2xf64>, tensor<f64>) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0:5 = stablehlo.while(%iterArg = %arg2, %iterArg_1 = %arg0, %iterArg_2 = %c_0, %iterArg_3 = %c, %iterArg_4 = %arg1) : tensor<f64>, tensor<3xf64>, tensor<i64>, tensor<i64>, tensor<2xf64>
    cond {
      %c_5 = stablehlo.constant dense<3> : tensor<i64>
      %2 = stablehlo.compare LT, %iterArg_2, %c_5, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2:2 = func.call @closed_call_0(%iterArg, %iterArg_1, %iterArg_3, %iterArg_4) : (tensor<f64>, tensor<3xf64>, tensor<i64>, tensor<2xf64>) -> (tensor<i64>, tensor<2xf64>)
      %c_5 = stablehlo.constant dense<1> : tensor<i64>
      %3 = stablehlo.add %iterArg_2, %c_5 : tensor<i64>
      stablehlo.return %iterArg, %iterArg_1, %3, %2#0, %2#1 : tensor<f64>, tensor<3xf64>, tensor<i64>, tensor<i64>, tensor<2xf64>
    }
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.reduce(%0#4 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
    return %0#4, %1 : tensor<2xf64>, tensor<f64>
  }
  func.func private @closed_call_0(%arg0: tensor<f64>, %arg1: tensor<3xf64>, %arg2: tensor<i64>, %arg3: tensor<2xf64>) -> (tensor<i64>, tensor<2xf64>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg2, %c : tensor<i64>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %2 = stablehlo.multiply %arg3, %1 : tensor<2xf64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %3 = stablehlo.compare LT, %arg2, %c_0, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %4 = stablehlo.convert %arg2 : tensor<i64>
    %c_1 = stablehlo.constant dense<3> : tensor<i64>
    %5 = stablehlo.add %4, %c_1 : tensor<i64>
    %6 = stablehlo.select %3, %5, %arg2 : tensor<i1>, tensor<i64>
    %7 = stablehlo.dynamic_slice %arg1, %6, sizes = [1] : (tensor<3xf64>, tensor<i64>) -> tensor<1xf64>
    %8 = stablehlo.reshape %7 : (tensor<1xf64>) -> tensor<f64>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %10 = stablehlo.add %2, %9 : tensor<2xf64>
    return %0, %10 : tensor<i64>, tensor<2xf64>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<2xf64>, %arg1: tensor<f64>, %arg2: tensor<i64>) -> tensor<2xf64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f64>) -> tensor<1xf64>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<2xf64>, tensor<1xf64>, tensor<i64>) -> tensor<2xf64>
    return %1 : tensor<2xf64>
  }
}
