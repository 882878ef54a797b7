module @jit_norms attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x5xf64>, %arg1: tensor<5xf64>) -> (tensor<3x5xf64> {jax.result_info = "result[0]"}, tensor<5xf64> {jax.result_info = "result[1]"}, tensor<3xi64> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x5xf64>, tensor<f64>) -> tensor<3xf64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<3xf64>) -> tensor<3x1xf64>
    %cst_0 = stablehlo.constant dense<5.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<3x1xf64>
    %3 = stablehlo.divide %1, %2 : tensor<3x1xf64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<3x1xf64>) -> tensor<3x5xf64>
    %5 = stablehlo.subtract %arg0, %4 : tensor<3x5xf64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %6 = call @_var(%arg0, %c) : (tensor<3x5xf64>, tensor<i64>) -> tensor<3x1xf64>
    %cst_1 = stablehlo.constant dense<1.000000e-03> : tensor<f64>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<3x1xf64>
    %8 = stablehlo.add %6, %7 : tensor<3x1xf64>
    %9 = stablehlo.rsqrt %8 : tensor<3x1xf64>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<3x1xf64>) -> tensor<3x5xf64>
    %11 = stablehlo.multiply %5, %10 : tensor<3x5xf64>
    %12 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<5xf64>) -> tensor<1x5xf64>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<1x5xf64>) -> tensor<3x5xf64>
    %14 = stablehlo.multiply %11, %13 : tensor<3x5xf64>
    %cst_2 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %15 = stablehlo.reduce(%14 init: %cst_2) applies stablehlo.maximum across dimensions = [1] : (tensor<3x5xf64>, tensor<f64>) -> tensor<3xf64>
    %cst_3 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %17 = stablehlo.maximum %16, %15 : tensor<3xf64>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<3xf64>) -> tensor<3x1xf64>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<3x1xf64>) -> tensor<3x5xf64>
    %20 = stablehlo.subtract %14, %19 : tensor<3x5xf64>
    %21 = stablehlo.exponential %20 : tensor<3x5xf64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %22 = stablehlo.reduce(%21 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<3x5xf64>, tensor<f64>) -> tensor<3xf64>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<3xf64>) -> tensor<3x1xf64>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<3x1xf64>) -> tensor<3x5xf64>
    %25 = stablehlo.divide %21, %24 : tensor<3x5xf64>
    %cst_5 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %26 = stablehlo.reduce(%arg0 init: %cst_5) applies stablehlo.maximum across dimensions = [0] : (tensor<3x5xf64>, tensor<f64>) -> tensor<5xf64>
    %cst_6 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %27 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %28 = stablehlo.maximum %27, %26 : tensor<5xf64>
    %29 = stablehlo.is_finite %28 : (tensor<5xf64>) -> tensor<5xi1>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %30 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f64>) -> tensor<5xf64>
    %31 = stablehlo.select %29, %28, %30 : tensor<5xi1>, tensor<5xf64>
    %32 = stablehlo.broadcast_in_dim %31, dims = [1] : (tensor<5xf64>) -> tensor<1x5xf64>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0, 1] : (tensor<1x5xf64>) -> tensor<3x5xf64>
    %34 = stablehlo.subtract %arg0, %33 : tensor<3x5xf64>
    %35 = stablehlo.exponential %34 : tensor<3x5xf64>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %36 = stablehlo.reduce(%35 init: %cst_8) applies stablehlo.add across dimensions = [0] : (tensor<3x5xf64>, tensor<f64>) -> tensor<5xf64>
    %37 = stablehlo.abs %36 : tensor<5xf64>
    %38 = stablehlo.log %37 : tensor<5xf64>
    %39 = stablehlo.add %38, %31 : tensor<5xf64>
    %40 = call @argmax(%arg0) : (tensor<3x5xf64>) -> tensor<3xi64>
    return %25, %39, %40 : tensor<3x5xf64>, tensor<5xf64>, tensor<3xi64>
  }
  func.func private @_var(%arg0: tensor<3x5xf64>, %arg1: tensor<i64>) -> tensor<3x1xf64> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x5xf64>, tensor<f64>) -> tensor<3xf64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<3xf64>) -> tensor<3x1xf64>
    %cst_0 = stablehlo.constant dense<5.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<3x1xf64>
    %3 = stablehlo.divide %1, %2 : tensor<3x1xf64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<3x1xf64>) -> tensor<3x5xf64>
    %5 = stablehlo.subtract %arg0, %4 : tensor<3x5xf64>
    %6 = chlo.square %5 : tensor<3x5xf64> -> tensor<3x5xf64>
    %7 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f64>
    %cst_1 = stablehlo.constant dense<5.000000e+00> : tensor<f64>
    %8 = stablehlo.subtract %cst_1, %7 : tensor<f64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %9 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<3x5xf64>, tensor<f64>) -> tensor<3xf64>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<3xf64>) -> tensor<3x1xf64>
    %11 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f64>) -> tensor<3x1xf64>
    %12 = stablehlo.divide %10, %11 : tensor<3x1xf64>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %13 = stablehlo.compare GT, %8, %cst_3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %cst_4 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %14 = call @_where(%13, %12, %cst_4) : (tensor<i1>, tensor<3x1xf64>, tensor<f64>) -> tensor<3x1xf64>
    return %14 : tensor<3x1xf64>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<3x1xf64>, %arg2: tensor<f64>) -> tensor<3x1xf64> {
    %0 = stablehlo.convert %arg2 : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<3x1xf64>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<3x1xf64>
    return %2 : tensor<3x1xf64>
  }
  func.func private @argmax(%arg0: tensor<3x5xf64>) -> tensor<3xi64> {
    %0 = stablehlo.iota dim = 1 : tensor<3x5xi64>
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<3x5xf64>, tensor<3x5xi64>, tensor<f64>, tensor<i64>) -> (tensor<3xf64>, tensor<3xi64>)
     reducer(%arg1: tensor<f64>, %arg3: tensor<f64>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f64>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<f64>, tensor<i64>
    }
    return %1#1 : tensor<3xi64>
  }
}
