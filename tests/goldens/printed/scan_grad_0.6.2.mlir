module @jit__lambda_ attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x4xf32>, %arg1: tensor<7x4xf32>) -> (tensor<4x4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg1 [0:1, 0:4] : (tensor<7x4xf32>) -> tensor<1x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x4xf32>) -> tensor<4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<7x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<7x4xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<7x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %7:8 = stablehlo.while(%iterArg = %arg1, %iterArg_7 = %arg0, %iterArg_8 = %c, %iterArg_9 = %1, %iterArg_10 = %3, %iterArg_11 = %4, %iterArg_12 = %5, %iterArg_13 = %6) : tensor<7x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<4xf32>, tensor<7xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>
     cond {
      %c_14 = stablehlo.constant dense<7> : tensor<i32>
      %13 = stablehlo.compare  LT, %iterArg_8, %c_14,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    } do {
      %c_14 = stablehlo.constant dense<0> : tensor<i32>
      %13 = stablehlo.dynamic_slice %iterArg, %iterArg_8, %c_14, sizes = [1, 4] : (tensor<7x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %14 = stablehlo.reshape %13 : (tensor<1x4xf32>) -> tensor<4xf32>
      %15:5 = func.call @None(%iterArg_7, %iterArg_9, %14) : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      %16 = stablehlo.broadcast_in_dim %15#1, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %17 = stablehlo.dynamic_update_slice %iterArg_10, %16, %iterArg_8 : (tensor<7xf32>, tensor<1xf32>, tensor<i32>) -> tensor<7xf32>
      %18 = stablehlo.broadcast_in_dim %15#2, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
      %19 = stablehlo.dynamic_update_slice %iterArg_11, %18, %iterArg_8, %c_14 : (tensor<7x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<7x4xf32>
      %20 = stablehlo.broadcast_in_dim %15#3, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
      %21 = stablehlo.dynamic_update_slice %iterArg_12, %20, %iterArg_8, %c_14 : (tensor<7x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<7x4xf32>
      %22 = stablehlo.broadcast_in_dim %15#4, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
      %23 = stablehlo.dynamic_update_slice %iterArg_13, %22, %iterArg_8, %c_14 : (tensor<7x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<7x4xf32>
      %c_15 = stablehlo.constant dense<1> : tensor<i32>
      %24 = stablehlo.add %iterArg_8, %c_15 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_7, %24, %15#0, %17, %19, %21, %23 : tensor<7x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<4xf32>, tensor<7xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>
    }
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7#4 init: %cst_4) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %12:8 = stablehlo.while(%iterArg = %9, %iterArg_7 = %7#5, %iterArg_8 = %7#6, %iterArg_9 = %7#7, %iterArg_10 = %arg0, %iterArg_11 = %c_6, %iterArg_12 = %11, %iterArg_13 = %10) : tensor<7xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<4x4xf32>, tensor<4xf32>
     cond {
      %c_14 = stablehlo.constant dense<7> : tensor<i32>
      %13 = stablehlo.compare  LT, %iterArg_11, %c_14,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    } do {
      %c_14 = stablehlo.constant dense<7> : tensor<i32>
      %13 = stablehlo.subtract %c_14, %iterArg_11 : tensor<i32>
      %c_15 = stablehlo.constant dense<1> : tensor<i32>
      %14 = stablehlo.subtract %13, %c_15 : tensor<i32>
      %15 = stablehlo.dynamic_slice %iterArg, %14, sizes = [1] : (tensor<7xf32>, tensor<i32>) -> tensor<1xf32>
      %16 = stablehlo.reshape %15 : (tensor<1xf32>) -> tensor<f32>
      %c_16 = stablehlo.constant dense<0> : tensor<i32>
      %17 = stablehlo.dynamic_slice %iterArg_7, %14, %c_16, sizes = [1, 4] : (tensor<7x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %18 = stablehlo.reshape %17 : (tensor<1x4xf32>) -> tensor<4xf32>
      %19 = stablehlo.dynamic_slice %iterArg_8, %14, %c_16, sizes = [1, 4] : (tensor<7x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %20 = stablehlo.reshape %19 : (tensor<1x4xf32>) -> tensor<4xf32>
      %21 = stablehlo.dynamic_slice %iterArg_9, %14, %c_16, sizes = [1, 4] : (tensor<7x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %22 = stablehlo.reshape %21 : (tensor<1x4xf32>) -> tensor<4xf32>
      %23:2 = func.call @None_0(%iterArg_10, %iterArg_12, %iterArg_13, %16, %18, %20, %22) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>)
      %24 = stablehlo.add %iterArg_11, %c_15 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %24, %23#0, %23#1 : tensor<7xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<4x4xf32>, tensor<4xf32>
    }
    return %12#6 : tensor<4x4xf32>
  }
  func.func private @None(%arg0: tensor<4x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    %1 = stablehlo.add %0, %arg2 : tensor<4xf32>
    %2 = stablehlo.tanh %1 : tensor<4xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %4 = stablehlo.subtract %3, %2 : tensor<4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%arg1 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %2, %5, %arg1, %2, %4 : tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func private @None_0(%arg0: tensor<4x4xf32>, %arg1: tensor<4x4xf32>, %arg2: tensor<4xf32>, %arg3: tensor<f32>, %arg4: tensor<4xf32>, %arg5: tensor<4xf32>, %arg6: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.multiply %arg2, %arg6 : tensor<4xf32>
    %2 = stablehlo.multiply %1, %arg5 : tensor<4xf32>
    %3 = stablehlo.add %1, %2 : tensor<4xf32>
    %4 = stablehlo.dot_general %3, %arg4, contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %6 = stablehlo.dot_general %3, %arg0, contracting_dims = [0] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    %7 = stablehlo.add %0, %6 : tensor<4xf32>
    %8 = stablehlo.add %arg1, %5 : tensor<4x4xf32>
    return %8, %7 : tensor<4x4xf32>, tensor<4xf32>
  }
}
