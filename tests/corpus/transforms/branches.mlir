module @jit_branches attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf64>, %arg1: tensor<3xf64>) -> (tensor<3xf64> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    %cst_0 = stablehlo.constant dense<1.000000e+02> : tensor<f64>
    %1 = stablehlo.compare GT, %0, %cst_0, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %2 = stablehlo.convert %1 : (tensor<i1>) -> tensor<i32>
    %3 = "stablehlo.case"(%2) ({
      %12 = stablehlo.sine %arg0 : tensor<3xf64>
      %13 = stablehlo.multiply %12, %arg0 : tensor<3xf64>
      stablehlo.return %13 : tensor<3xf64>
    }, {
      %12 = stablehlo.multiply %arg0, %arg1 : tensor<3xf64>
      stablehlo.return %12 : tensor<3xf64>
    }) : (tensor<i32>) -> tensor<3xf64>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %c_2 = stablehlo.constant dense<2> : tensor<i32>
    %4 = stablehlo.clamp %c, %c_1, %c_2 : tensor<i32>
    %5 = "stablehlo.case"(%4) ({
      stablehlo.return %3 : tensor<3xf64>
    }, {
      %12 = stablehlo.multiply %3, %3 : tensor<3xf64>
      stablehlo.return %12 : tensor<3xf64>
    }, {
      %12 = stablehlo.multiply %3, %arg1 : tensor<3xf64>
      stablehlo.return %12 : tensor<3xf64>
    }) : (tensor<i32>) -> tensor<3xf64>
    %6 = stablehlo.slice %arg0 [0:1] : (tensor<3xf64>) -> tensor<1xf64>
    %7 = stablehlo.reshape %6 : (tensor<1xf64>) -> tensor<f64>
    %cst_3 = stablehlo.constant dense<5.000000e+00> : tensor<f64>
    %8 = stablehlo.compare LT, %7, %cst_3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %9 = stablehlo.convert %8 : (tensor<i1>) -> tensor<i32>
    %10 = "stablehlo.case"(%9) ({
      stablehlo.return %arg0 : tensor<3xf64>
    }, {
      stablehlo.return %arg1 : tensor<3xf64>
    }) : (tensor<i32>) -> tensor<3xf64>
    %11 = stablehlo.add %5, %10 : tensor<3xf64>
    return %11 : tensor<3xf64>
  }
}
