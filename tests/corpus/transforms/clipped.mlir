module @jit_clipped attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x2xf64>, %arg1: tensor<4x2xf64>) -> (tensor<3x2xf64> {jax.result_info = "result[0]"}, tensor<3x2xf64> {jax.result_info = "result[1]"}, tensor<3x2xf64> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<[7, 1, 0, 9]> : tensor<4xi64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<4xi64>
    %1 = stablehlo.compare LT, %c, %0, SIGNED : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    %c_1 = stablehlo.constant dense<3> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<4xi64>
    %3 = stablehlo.add %c, %2 : tensor<4xi64>
    %4 = stablehlo.select %1, %3, %c : tensor<4xi1>, tensor<4xi64>
    %5 = stablehlo.convert %4 : (tensor<4xi64>) -> tensor<4xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %c_2 = stablehlo.constant dense<2> : tensor<1xi32>
    %c_3 = stablehlo.constant dense<2147483647> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %8 = stablehlo.minimum %c_2, %7 : tensor<1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [1] : (tensor<1xi32>) -> tensor<4x1xi32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
    %11 = stablehlo.clamp %10, %6, %9 : tensor<4x1xi32>
    %12 = "stablehlo.scatter"(%arg0, %11, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      %39 = stablehlo.maximum %arg2, %arg3 : tensor<f64>
      stablehlo.return %39 : tensor<f64>
    }) : (tensor<3x2xf64>, tensor<4x1xi32>, tensor<4x2xf64>) -> tensor<3x2xf64>
    %c_5 = stablehlo.constant dense<0> : tensor<i64>
    %13 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i64>) -> tensor<4xi64>
    %14 = stablehlo.compare LT, %c, %13, SIGNED : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    %c_6 = stablehlo.constant dense<3> : tensor<i64>
    %15 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i64>) -> tensor<4xi64>
    %16 = stablehlo.add %c, %15 : tensor<4xi64>
    %17 = stablehlo.select %14, %16, %c : tensor<4xi1>, tensor<4xi64>
    %18 = stablehlo.convert %17 : (tensor<4xi64>) -> tensor<4xi32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %c_7 = stablehlo.constant dense<2> : tensor<1xi32>
    %c_8 = stablehlo.constant dense<2147483647> : tensor<i32>
    %20 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %21 = stablehlo.minimum %c_7, %20 : tensor<1xi32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [1] : (tensor<1xi32>) -> tensor<4x1xi32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %23 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
    %24 = stablehlo.clamp %23, %19, %22 : tensor<4x1xi32>
    %25 = "stablehlo.scatter"(%arg0, %24, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      %39 = stablehlo.minimum %arg2, %arg3 : tensor<f64>
      stablehlo.return %39 : tensor<f64>
    }) : (tensor<3x2xf64>, tensor<4x1xi32>, tensor<4x2xf64>) -> tensor<3x2xf64>
    %c_10 = stablehlo.constant dense<0> : tensor<i64>
    %26 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i64>) -> tensor<4xi64>
    %27 = stablehlo.compare LT, %c, %26, SIGNED : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    %c_11 = stablehlo.constant dense<3> : tensor<i64>
    %28 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i64>) -> tensor<4xi64>
    %29 = stablehlo.add %c, %28 : tensor<4xi64>
    %30 = stablehlo.select %27, %29, %c : tensor<4xi1>, tensor<4xi64>
    %31 = stablehlo.convert %30 : (tensor<4xi64>) -> tensor<4xi32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
    %c_12 = stablehlo.constant dense<2> : tensor<1xi32>
    %c_13 = stablehlo.constant dense<2147483647> : tensor<i32>
    %33 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %34 = stablehlo.minimum %c_12, %33 : tensor<1xi32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [1] : (tensor<1xi32>) -> tensor<4x1xi32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %36 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i32>) -> tensor<4x1xi32>
    %37 = stablehlo.clamp %36, %32, %35 : tensor<4x1xi32>
    %38 = "stablehlo.scatter"(%arg0, %37, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      %39 = stablehlo.add %arg2, %arg3 : tensor<f64>
      stablehlo.return %39 : tensor<f64>
    }) : (tensor<3x2xf64>, tensor<4x1xi32>, tensor<4x2xf64>) -> tensor<3x2xf64>
    return %12, %25, %38 : tensor<3x2xf64>, tensor<3x2xf64>, tensor<3x2xf64>
  }
}
