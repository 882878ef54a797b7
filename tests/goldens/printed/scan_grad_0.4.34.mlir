module @jit__lambda_ attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x4xf32> {mhlo.layout_mode = "default"}, %arg1: tensor<7x4xf32> {mhlo.layout_mode = "default"}) -> (tensor<4x4xf32> {jax.result_info = "", mhlo.layout_mode = "default"}) {
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
    %7:8 = stablehlo.while(%iterArg = %arg1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %1, %iterArg_12 = %3, %iterArg_13 = %4, %iterArg_14 = %5, %iterArg_15 = %6) : tensor<7x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<4xf32>, tensor<7xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>
     cond {
      %c_16 = stablehlo.constant dense<7> : tensor<i32>
      %13 = stablehlo.compare  LT, %iterArg_10, %c_16,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    } do {
      %c_16 = stablehlo.constant dense<0> : tensor<i32>
      %13 = stablehlo.compare  LT, %iterArg_10, %c_16,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %14 = stablehlo.convert %iterArg_10 : tensor<i32>
      %c_17 = stablehlo.constant dense<7> : tensor<i32>
      %15 = stablehlo.add %14, %c_17 : tensor<i32>
      %16 = stablehlo.select %13, %15, %iterArg_10 : tensor<i1>, tensor<i32>
      %c_18 = stablehlo.constant dense<0> : tensor<i32>
      %17 = stablehlo.dynamic_slice %iterArg, %16, %c_18, sizes = [1, 4] : (tensor<7x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %18 = stablehlo.reshape %17 : (tensor<1x4xf32>) -> tensor<4xf32>
      %19:5 = func.call @None(%iterArg_9, %iterArg_11, %18) : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
      %20 = stablehlo.broadcast_in_dim %19#1, dims = [] : (tensor<f32>) -> tensor<1xf32>
      %c_19 = stablehlo.constant dense<0> : tensor<i32>
      %21 = stablehlo.compare  LT, %iterArg_10, %c_19,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %22 = stablehlo.convert %iterArg_10 : tensor<i32>
      %c_20 = stablehlo.constant dense<7> : tensor<i32>
      %23 = stablehlo.add %22, %c_20 : tensor<i32>
      %24 = stablehlo.select %21, %23, %iterArg_10 : tensor<i1>, tensor<i32>
      %25 = stablehlo.dynamic_update_slice %iterArg_12, %20, %24 : (tensor<7xf32>, tensor<1xf32>, tensor<i32>) -> tensor<7xf32>
      %26 = stablehlo.broadcast_in_dim %19#2, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
      %c_21 = stablehlo.constant dense<0> : tensor<i32>
      %27 = stablehlo.compare  LT, %iterArg_10, %c_21,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %28 = stablehlo.convert %iterArg_10 : tensor<i32>
      %c_22 = stablehlo.constant dense<7> : tensor<i32>
      %29 = stablehlo.add %28, %c_22 : tensor<i32>
      %30 = stablehlo.select %27, %29, %iterArg_10 : tensor<i1>, tensor<i32>
      %c_23 = stablehlo.constant dense<0> : tensor<i32>
      %31 = stablehlo.dynamic_update_slice %iterArg_13, %26, %30, %c_23 : (tensor<7x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<7x4xf32>
      %32 = stablehlo.broadcast_in_dim %19#3, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
      %c_24 = stablehlo.constant dense<0> : tensor<i32>
      %33 = stablehlo.compare  LT, %iterArg_10, %c_24,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %34 = stablehlo.convert %iterArg_10 : tensor<i32>
      %c_25 = stablehlo.constant dense<7> : tensor<i32>
      %35 = stablehlo.add %34, %c_25 : tensor<i32>
      %36 = stablehlo.select %33, %35, %iterArg_10 : tensor<i1>, tensor<i32>
      %c_26 = stablehlo.constant dense<0> : tensor<i32>
      %37 = stablehlo.dynamic_update_slice %iterArg_14, %32, %36, %c_26 : (tensor<7x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<7x4xf32>
      %38 = stablehlo.broadcast_in_dim %19#4, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
      %c_27 = stablehlo.constant dense<0> : tensor<i32>
      %39 = stablehlo.compare  LT, %iterArg_10, %c_27,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %40 = stablehlo.convert %iterArg_10 : tensor<i32>
      %c_28 = stablehlo.constant dense<7> : tensor<i32>
      %41 = stablehlo.add %40, %c_28 : tensor<i32>
      %42 = stablehlo.select %39, %41, %iterArg_10 : tensor<i1>, tensor<i32>
      %c_29 = stablehlo.constant dense<0> : tensor<i32>
      %43 = stablehlo.dynamic_update_slice %iterArg_15, %38, %42, %c_29 : (tensor<7x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<7x4xf32>
      %c_30 = stablehlo.constant dense<1> : tensor<i32>
      %44 = stablehlo.add %iterArg_10, %c_30 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_9, %44, %19#0, %25, %31, %37, %43 : tensor<7x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<4xf32>, tensor<7xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>
    }
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7#4 init: %cst_4) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<7xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %12:8 = stablehlo.while(%iterArg = %9, %iterArg_9 = %7#5, %iterArg_10 = %7#6, %iterArg_11 = %7#7, %iterArg_12 = %arg0, %iterArg_13 = %c_8, %iterArg_14 = %11, %iterArg_15 = %10) : tensor<7xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<4x4xf32>, tensor<4xf32>
     cond {
      %c_16 = stablehlo.constant dense<7> : tensor<i32>
      %13 = stablehlo.compare  LT, %iterArg_13, %c_16,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    } do {
      %c_16 = stablehlo.constant dense<7> : tensor<i32>
      %13 = stablehlo.subtract %c_16, %iterArg_13 : tensor<i32>
      %c_17 = stablehlo.constant dense<1> : tensor<i32>
      %14 = stablehlo.subtract %13, %c_17 : tensor<i32>
      %c_18 = stablehlo.constant dense<0> : tensor<i32>
      %15 = stablehlo.compare  LT, %14, %c_18,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %16 = stablehlo.convert %14 : tensor<i32>
      %c_19 = stablehlo.constant dense<7> : tensor<i32>
      %17 = stablehlo.add %16, %c_19 : tensor<i32>
      %18 = stablehlo.select %15, %17, %14 : tensor<i1>, tensor<i32>
      %19 = stablehlo.dynamic_slice %iterArg, %18, sizes = [1] : (tensor<7xf32>, tensor<i32>) -> tensor<1xf32>
      %20 = stablehlo.reshape %19 : (tensor<1xf32>) -> tensor<f32>
      %c_20 = stablehlo.constant dense<0> : tensor<i32>
      %21 = stablehlo.compare  LT, %14, %c_20,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %22 = stablehlo.convert %14 : tensor<i32>
      %c_21 = stablehlo.constant dense<7> : tensor<i32>
      %23 = stablehlo.add %22, %c_21 : tensor<i32>
      %24 = stablehlo.select %21, %23, %14 : tensor<i1>, tensor<i32>
      %c_22 = stablehlo.constant dense<0> : tensor<i32>
      %25 = stablehlo.dynamic_slice %iterArg_9, %24, %c_22, sizes = [1, 4] : (tensor<7x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %26 = stablehlo.reshape %25 : (tensor<1x4xf32>) -> tensor<4xf32>
      %c_23 = stablehlo.constant dense<0> : tensor<i32>
      %27 = stablehlo.compare  LT, %14, %c_23,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %28 = stablehlo.convert %14 : tensor<i32>
      %c_24 = stablehlo.constant dense<7> : tensor<i32>
      %29 = stablehlo.add %28, %c_24 : tensor<i32>
      %30 = stablehlo.select %27, %29, %14 : tensor<i1>, tensor<i32>
      %c_25 = stablehlo.constant dense<0> : tensor<i32>
      %31 = stablehlo.dynamic_slice %iterArg_10, %30, %c_25, sizes = [1, 4] : (tensor<7x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %32 = stablehlo.reshape %31 : (tensor<1x4xf32>) -> tensor<4xf32>
      %c_26 = stablehlo.constant dense<0> : tensor<i32>
      %33 = stablehlo.compare  LT, %14, %c_26,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %34 = stablehlo.convert %14 : tensor<i32>
      %c_27 = stablehlo.constant dense<7> : tensor<i32>
      %35 = stablehlo.add %34, %c_27 : tensor<i32>
      %36 = stablehlo.select %33, %35, %14 : tensor<i1>, tensor<i32>
      %c_28 = stablehlo.constant dense<0> : tensor<i32>
      %37 = stablehlo.dynamic_slice %iterArg_11, %36, %c_28, sizes = [1, 4] : (tensor<7x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %38 = stablehlo.reshape %37 : (tensor<1x4xf32>) -> tensor<4xf32>
      %39:2 = func.call @None_0(%iterArg_12, %iterArg_14, %iterArg_15, %20, %26, %32, %38) : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>)
      %c_29 = stablehlo.constant dense<1> : tensor<i32>
      %40 = stablehlo.add %iterArg_13, %c_29 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_9, %iterArg_10, %iterArg_11, %iterArg_12, %40, %39#0, %39#1 : tensor<7xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<4x4xf32>, tensor<i32>, tensor<4x4xf32>, tensor<4xf32>
    }
    return %12#6 : tensor<4x4xf32>
  }
  func.func private @None(%arg0: tensor<4x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg1 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.dot_general %arg1, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    %2 = stablehlo.add %1, %arg2 : tensor<4xf32>
    %3 = stablehlo.tanh %2 : tensor<4xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %5 = stablehlo.subtract %4, %3 : tensor<4xf32>
    return %3, %0, %arg1, %3, %5 : tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
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
