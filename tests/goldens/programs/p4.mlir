module @jit_run attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x3xf32>, %arg1: tensor<3xf32>) -> (tensor<8x3xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<5x3xf32>
    %2 = stablehlo.multiply %arg0, %1 : tensor<5x3xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.maximum across dimensions = [1] : (tensor<5x3xf32>, tensor<f32>) -> tensor<5xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %5 = stablehlo.maximum %4, %3 : tensor<5xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x3xf32>
    %8 = stablehlo.subtract %2, %7 : tensor<5x3xf32>
    %9 = stablehlo.exponential %8 : tensor<5x3xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<5x3xf32>, tensor<f32>) -> tensor<5xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<5xf32>) -> tensor<5x1xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x3xf32>
    %13 = stablehlo.divide %9, %12 : tensor<5x3xf32>
    %cst_3 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %cst_4 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %14 = call @clip(%13, %cst_3, %cst_4) : (tensor<5x3xf32>, tensor<f32>, tensor<f32>) -> tensor<5x3xf32>
    %cst_5 = stablehlo.constant dense<1.79404056> : tensor<f32>
    %15 = stablehlo.pad %14, %cst_5, low = [1, 0], high = [2, 1], interior = [0, 1] : (tensor<5x3xf32>, tensor<f32>) -> tensor<8x6xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %16:2 = stablehlo.while(%iterArg = %c, %iterArg_6 = %15) : tensor<i32>, tensor<8x6xf32>
    cond {
      %c_7 = stablehlo.constant dense<1> : tensor<i32>
      %18 = stablehlo.compare LT, %iterArg, %c_7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %18 : tensor<i1>
    } do {
      %18 = func.call @closed_call(%iterArg_6) : (tensor<8x6xf32>) -> tensor<8x6xf32>
      %c_7 = stablehlo.constant dense<1> : tensor<i32>
      %19 = stablehlo.add %iterArg, %c_7 : tensor<i32>
      stablehlo.return %19, %18 : tensor<i32>, tensor<8x6xf32>
    }
    %17 = stablehlo.slice %16#1 [0:8, 3:6] : (tensor<8x6xf32>) -> tensor<8x3xf32>
    return %17 : tensor<8x3xf32>
  }
  func.func private @clip(%arg0: tensor<5x3xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<5x3xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<5x3xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<5x3xf32>
    %3 = stablehlo.convert %arg2 : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<5x3xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<5x3xf32>
    return %5 : tensor<5x3xf32>
  }
  func.func private @closed_call(%arg0: tensor<8x6xf32>) -> tensor<8x6xf32> {
    %cst = stablehlo.constant dense<0.899999976> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<8x6xf32>
    %2 = stablehlo.cosine %arg0 : tensor<8x6xf32>
    %3 = stablehlo.add %1, %2 : tensor<8x6xf32>
    return %3 : tensor<8x6xf32>
  }
}
