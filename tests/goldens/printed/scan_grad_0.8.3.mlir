module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x4xf32>, %arg1: tensor<7x4xf32>) -> (tensor<4x4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg1 [0:1, 0:4] : (tensor<7x4xf32>) -> tensor<1x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x4xf32>) -> tensor<4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<7x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<7x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<7x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %6:8 = stablehlo.while(%iterArg = %arg1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %1, %iterArg_12 = %2, %iterArg_13 = %3, %iterArg_14 = %4, %iterArg_15 = %5) : tensor<7x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<4xf32>, tensor<7xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>
    cond {
      %c_16 = stablehlo.constant dense<7> : tensor<i32>
      %13 = stablehlo.compare  LT, %iterArg_10, %c_16,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    } do {
      %c_16 = stablehlo.constant dense<0> : tensor<i32>
      %13 = stablehlo.dynamic_slice %iterArg, %iterArg_10, %c_16, sizes = [1, 4] : (tensor<7x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %14 = stablehlo.reshape %13 : (tensor<1x4xf32>) -> tensor<4xf32>
      %15:5 = func.call @closed_call(%iterArg_9, %iterArg_11, %14) : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      %16 = stablehlo.broadcast_in_dim %15#1, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %17 = stablehlo.dynamic_update_slice %iterArg_12, %16, %iterArg_10 : (tensor<7xf32>, tensor<1xf32>, tensor<i32>) -> tensor<7xf32>
      %18 = stablehlo.broadcast_in_dim %15#2, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
      %c_17 = stablehlo.constant dense<0> : tensor<i32>
      %19 = stablehlo.dynamic_update_slice %iterArg_13, %18, %iterArg_10, %c_17 : (tensor<7x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<7x4xf32>
      %20 = stablehlo.broadcast_in_dim %15#3, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
      %c_18 = stablehlo.constant dense<0> : tensor<i32>
      %21 = stablehlo.dynamic_update_slice %iterArg_14, %20, %iterArg_10, %c_18 : (tensor<7x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<7x4xf32>
      %22 = stablehlo.broadcast_in_dim %15#4, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
      %c_19 = stablehlo.constant dense<0> : tensor<i32>
      %23 = stablehlo.dynamic_update_slice %iterArg_15, %22, %iterArg_10, %c_19 : (tensor<7x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<7x4xf32>
      %c_20 = stablehlo.constant dense<1> : tensor<i32>
      %24 = stablehlo.add %iterArg_10, %c_20 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_9, %24, %15#0, %17, %19, %21, %23 : tensor<7x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<4xf32>, tensor<7xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>
    }
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6#4 init: %cst_3) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %12:8 = stablehlo.while(%iterArg = %9, %iterArg_9 = %6#5, %iterArg_10 = %6#6, %iterArg_11 = %6#7, %iterArg_12 = %arg0, %iterArg_13 = %c_8, %iterArg_14 = %11, %iterArg_15 = %10) : tensor<7xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<4x4xf32>, tensor<4xf32>
    cond {
      %c_16 = stablehlo.constant dense<7> : tensor<i32>
      %13 = stablehlo.compare  LT, %iterArg_13, %c_16,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    } do {
      %c_16 = stablehlo.constant dense<7> : tensor<i32>
      %13 = stablehlo.subtract %c_16, %iterArg_13 : tensor<i32>
      %c_17 = stablehlo.constant dense<1> : tensor<i32>
      %14 = stablehlo.subtract %13, %c_17 : tensor<i32>
      %15 = stablehlo.dynamic_slice %iterArg, %14, sizes = [1] : (tensor<7xf32>, tensor<i32>) -> tensor<1xf32>
      %16 = stablehlo.reshape %15 : (tensor<1xf32>) -> tensor<f32>
      %c_18 = stablehlo.constant dense<0> : tensor<i32>
      %17 = stablehlo.dynamic_slice %iterArg_9, %14, %c_18, sizes = [1, 4] : (tensor<7x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %18 = stablehlo.reshape %17 : (tensor<1x4xf32>) -> tensor<4xf32>
      %c_19 = stablehlo.constant dense<0> : tensor<i32>
      %19 = stablehlo.dynamic_slice %iterArg_10, %14, %c_19, sizes = [1, 4] : (tensor<7x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %20 = stablehlo.reshape %19 : (tensor<1x4xf32>) -> tensor<4xf32>
      %c_20 = stablehlo.constant dense<0> : tensor<i32>
      %21 = stablehlo.dynamic_slice %iterArg_11, %14, %c_20, sizes = [1, 4] : (tensor<7x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %22 = stablehlo.reshape %21 : (tensor<1x4xf32>) -> tensor<4xf32>
      %23:2 = func.call @closed_call_13(%iterArg_12, %iterArg_14, %iterArg_15, %16, %18, %20, %22) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>)
      %c_21 = stablehlo.constant dense<1> : tensor<i32>
      %24 = stablehlo.add %iterArg_13, %c_21 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_9, %iterArg_10, %iterArg_11, %iterArg_12, %24, %23#0, %23#1 : tensor<7xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<4x4xf32>, tensor<4xf32>
    }
    return %12#6 : tensor<4x4xf32>
  }
  func.func private @closed_call(%arg0: tensor<4x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
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
  func.func private @closed_call_13(%arg0: tensor<4x4xf32>, %arg1: tensor<4x4xf32>, %arg2: tensor<4xf32>, %arg3: tensor<f32>, %arg4: tensor<4xf32>, %arg5: tensor<4xf32>, %arg6: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.multiply %arg2, %arg6 : tensor<4xf32>
    %2 = stablehlo.multiply %1, %arg5 : tensor<4xf32>
    %3 = stablehlo.add %1, %2 : tensor<4xf32>
    %4 = stablehlo.dot_general %3, %arg4, contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
    %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %6 = stablehlo.add %arg1, %5 : tensor<4x4xf32>
    %7 = stablehlo.dot_general %3, %arg0, contracting_dims = [0] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    %8 = stablehlo.add %0, %7 : tensor<4xf32>
    return %6, %8 : tensor<4x4xf32>, tensor<4xf32>
  }
}
