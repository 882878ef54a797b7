module @jit_newton attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5xf32> {mhlo.layout_mode = "default"}) -> (tensor<5xf32> {jax.result_info = "[0]", mhlo.layout_mode = "default"}, tensor<5xi32> {jax.result_info = "[1]", mhlo.layout_mode = "default"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %1:4 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg0, %iterArg_1 = %arg0, %iterArg_2 = %0) : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xi32>
     cond {
      %2 = stablehlo.multiply %iterArg_1, %iterArg_1 : tensor<5xf32>
      %3 = stablehlo.subtract %2, %iterArg : tensor<5xf32>
      %4 = stablehlo.abs %3 : tensor<5xf32>
      %cst = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
      %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %6 = stablehlo.compare  GT, %4, %5,  FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
      %c_3 = stablehlo.constant dense<50> : tensor<i32>
      %7 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<5xi32>
      %8 = stablehlo.compare  LT, %iterArg_2, %7,  SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
      %c_4 = stablehlo.constant dense<false> : tensor<i1>
      %9 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i1>) -> tensor<5xi1>
      %10 = stablehlo.compare  NE, %8, %9,  UNSIGNED : (tensor<5xi1>, tensor<5xi1>) -> tensor<5xi1>
      %11 = stablehlo.convert %10 : tensor<5xi1>
      %12 = stablehlo.and %6, %11 : tensor<5xi1>
      %c_5 = stablehlo.constant dense<false> : tensor<i1>
      %13 = stablehlo.reduce(%12 init: %c_5) applies stablehlo.or across dimensions = [0] : (tensor<5xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    } do {
      %2 = stablehlo.divide %iterArg_0, %iterArg_1 : tensor<5xf32>
      %3 = stablehlo.add %iterArg_1, %2 : tensor<5xf32>
      %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %5 = stablehlo.multiply %4, %3 : tensor<5xf32>
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %6 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<5xi32>
      %7 = stablehlo.add %iterArg_2, %6 : tensor<5xi32>
      %8 = stablehlo.multiply %iterArg_1, %iterArg_1 : tensor<5xf32>
      %9 = stablehlo.subtract %8, %iterArg : tensor<5xf32>
      %10 = stablehlo.abs %9 : tensor<5xf32>
      %cst_4 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
      %11 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<5xf32>
      %12 = stablehlo.compare  GT, %10, %11,  FLOAT : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xi1>
      %c_5 = stablehlo.constant dense<50> : tensor<i32>
      %13 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<5xi32>
      %14 = stablehlo.compare  LT, %iterArg_2, %13,  SIGNED : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
      %c_6 = stablehlo.constant dense<false> : tensor<i1>
      %15 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i1>) -> tensor<5xi1>
      %16 = stablehlo.compare  NE, %14, %15,  UNSIGNED : (tensor<5xi1>, tensor<5xi1>) -> tensor<5xi1>
      %17 = stablehlo.convert %16 : tensor<5xi1>
      %18 = stablehlo.and %12, %17 : tensor<5xi1>
      %19 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<5xi1>) -> tensor<5xi1>
      %20 = stablehlo.select %19, %5, %iterArg_1 : tensor<5xi1>, tensor<5xf32>
      %21 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<5xi1>) -> tensor<5xi1>
      %22 = stablehlo.select %21, %7, %iterArg_2 : tensor<5xi1>, tensor<5xi32>
      stablehlo.return %iterArg, %iterArg_0, %20, %22 : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xi32>
    }
    return %1#2, %1#3 : tensor<5xf32>, tensor<5xi32>
  }
}
