module @jit_run attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x3x4xf32>, %arg1: tensor<3xf32>) -> (tensor<3x3x4xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3x3x4xf32>
    %2 = stablehlo.multiply %arg0, %1 : tensor<3x3x4xf32>
    %3 = stablehlo.negate %2 : tensor<3x3x4xf32>
    %4 = stablehlo.multiply %3, %2 : tensor<3x3x4xf32>
    %5 = stablehlo.exponential %4 : tensor<3x3x4xf32>
    %cst_0 = stablehlo.constant dense<-1.77022493> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x3x4xf32>
    %7 = stablehlo.compare GT, %5, %6, FLOAT : (tensor<3x3x4xf32>, tensor<3x3x4xf32>) -> tensor<3x3x4xi1>
    %cst_1 = stablehlo.constant dense<-1.77022493> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x3x4xf32>
    %9 = stablehlo.multiply %8, %5 : tensor<3x3x4xf32>
    %10 = call @_where(%7, %5, %9) : (tensor<3x3x4xi1>, tensor<3x3x4xf32>, tensor<3x3x4xf32>) -> tensor<3x3x4xf32>
    %11 = stablehlo.negate %10 : tensor<3x3x4xf32>
    %12 = stablehlo.multiply %11, %10 : tensor<3x3x4xf32>
    %13 = stablehlo.exponential %12 : tensor<3x3x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<3x3x4xf32>, tensor<f32>) -> tensor<3x3xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<3x3xf32>) -> tensor<3x3x1xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<3x3x1xf32>) -> tensor<3x3x4xf32>
    %17 = stablehlo.add %16, %13 : tensor<3x3x4xf32>
    return %17 : tensor<3x3x4xf32>
  }
  func.func private @_where(%arg0: tensor<3x3x4xi1>, %arg1: tensor<3x3x4xf32>, %arg2: tensor<3x3x4xf32>) -> tensor<3x3x4xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3x3x4xi1>, tensor<3x3x4xf32>
    return %0 : tensor<3x3x4xf32>
  }
}
