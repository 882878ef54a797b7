module @jit_turned_both attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x3xf32>, %arg1: tensor<5x3xf32>) -> (tensor<5x3xf32> {jax.result_info = "result[0]"}, tensor<5x3xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<5x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %2:6 = stablehlo.while(%iterArg = %arg0, %iterArg_2 = %arg1, %iterArg_3 = %c_1, %iterArg_4 = %c, %iterArg_5 = %0, %iterArg_6 = %1) : tensor<5x3xf32>, tensor<5x3xf32>, tensor<i32>, tensor<i32>, tensor<5x3xf32>, tensor<5x3xf32>
    cond {
      %c_7 = stablehlo.constant dense<5> : tensor<i32>
      %3 = stablehlo.compare LT, %iterArg_3, %c_7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %3:3 = func.call @closed_call(%iterArg, %iterArg_2, %iterArg_4, %iterArg_5, %iterArg_6) : (tensor<5x3xf32>, tensor<5x3xf32>, tensor<i32>, tensor<5x3xf32>, tensor<5x3xf32>) -> (tensor<i32>, tensor<5x3xf32>, tensor<5x3xf32>)
      %c_7 = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %iterArg_3, %c_7 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_2, %4, %3#0, %3#1, %3#2 : tensor<5x3xf32>, tensor<5x3xf32>, tensor<i32>, tensor<i32>, tensor<5x3xf32>, tensor<5x3xf32>
    }
    return %2#4, %2#5 : tensor<5x3xf32>, tensor<5x3xf32>
  }
  func.func private @closed_call(%arg0: tensor<5x3xf32>, %arg1: tensor<5x3xf32>, %arg2: tensor<i32>, %arg3: tensor<5x3xf32>, %arg4: tensor<5x3xf32>) -> (tensor<i32>, tensor<5x3xf32>, tensor<5x3xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg2, %c : tensor<i32>
    %c_0 = stablehlo.constant dense<4> : tensor<i32>
    %1 = stablehlo.subtract %c_0, %arg2 : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.compare LT, %1, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.convert %1 : tensor<i32>
    %c_2 = stablehlo.constant dense<5> : tensor<i32>
    %4 = stablehlo.add %3, %c_2 : tensor<i32>
    %5 = stablehlo.select %2, %4, %1 : tensor<i1>, tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.dynamic_slice %arg0, %5, %c_3, sizes = [1, 3] : (tensor<5x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x3xf32>
    %8 = stablehlo.multiply %6, %7 : tensor<1x3xf32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %arg2, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.convert %arg2 : tensor<i32>
    %c_5 = stablehlo.constant dense<5> : tensor<i32>
    %11 = stablehlo.add %10, %c_5 : tensor<i32>
    %12 = stablehlo.select %9, %11, %arg2 : tensor<i1>, tensor<i32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %13 = stablehlo.dynamic_slice %arg1, %12, %c_6, sizes = [1, 3] : (tensor<5x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
    %14 = stablehlo.add %8, %13 : tensor<1x3xf32>
    %c_7 = stablehlo.constant dense<4> : tensor<i32>
    %15 = stablehlo.subtract %c_7, %arg2 : tensor<i32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %16 = stablehlo.compare LT, %15, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %17 = stablehlo.convert %15 : tensor<i32>
    %c_9 = stablehlo.constant dense<5> : tensor<i32>
    %18 = stablehlo.add %17, %c_9 : tensor<i32>
    %19 = stablehlo.select %16, %18, %15 : tensor<i1>, tensor<i32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %20 = stablehlo.dynamic_update_slice %arg3, %14, %19, %c_10 : (tensor<5x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<5x3xf32>
    %c_11 = stablehlo.constant dense<4> : tensor<i32>
    %21 = stablehlo.subtract %c_11, %arg2 : tensor<i32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %22 = stablehlo.compare LT, %21, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %23 = stablehlo.convert %21 : tensor<i32>
    %c_13 = stablehlo.constant dense<5> : tensor<i32>
    %24 = stablehlo.add %23, %c_13 : tensor<i32>
    %25 = stablehlo.select %22, %24, %21 : tensor<i1>, tensor<i32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %26 = stablehlo.dynamic_slice %arg0, %25, %c_14, sizes = [1, 3] : (tensor<5x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %27 = stablehlo.compare LT, %arg2, %c_15, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %28 = stablehlo.convert %arg2 : tensor<i32>
    %c_16 = stablehlo.constant dense<5> : tensor<i32>
    %29 = stablehlo.add %28, %c_16 : tensor<i32>
    %30 = stablehlo.select %27, %29, %arg2 : tensor<i1>, tensor<i32>
    %c_17 = stablehlo.constant dense<0> : tensor<i32>
    %31 = stablehlo.dynamic_slice %arg1, %30, %c_17, sizes = [1, 3] : (tensor<5x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x3xf32>
    %32 = stablehlo.subtract %26, %31 : tensor<1x3xf32>
    %c_18 = stablehlo.constant dense<0> : tensor<i32>
    %33 = stablehlo.compare LT, %arg2, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %34 = stablehlo.convert %arg2 : tensor<i32>
    %c_19 = stablehlo.constant dense<5> : tensor<i32>
    %35 = stablehlo.add %34, %c_19 : tensor<i32>
    %36 = stablehlo.select %33, %35, %arg2 : tensor<i1>, tensor<i32>
    %c_20 = stablehlo.constant dense<0> : tensor<i32>
    %37 = stablehlo.dynamic_update_slice %arg4, %32, %36, %c_20 : (tensor<5x3xf32>, tensor<1x3xf32>, tensor<i32>, tensor<i32>) -> tensor<5x3xf32>
    return %0, %20, %37 : tensor<i32>, tensor<5x3xf32>, tensor<5x3xf32>
  }
}
