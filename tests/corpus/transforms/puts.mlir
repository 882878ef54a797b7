module @jit_puts attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x2xf64>, %arg1: tensor<3x2xf64>) -> (tensor<4x2xf64> {jax.result_info = "result[0]"}, tensor<4x2xf64> {jax.result_info = "result[1]"}, tensor<4x2xf64> {jax.result_info = "result[2]"}, tensor<4x2xf64> {jax.result_info = "result[3]"}) {
    %c = stablehlo.constant dense<[1, 3, 1]> : tensor<3xi64>
    %c_0 = stablehlo.constant dense<[0, 2, 3]> : tensor<3xi64>
    %c_1 = stablehlo.constant dense<[0, 2, 3]> : tensor<3xi64>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %1 = stablehlo.compare LT, %c, %0, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %c_3 = stablehlo.constant dense<4> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %3 = stablehlo.add %c, %2 : tensor<3xi64>
    %4 = stablehlo.select %1, %3, %c : tensor<3xi1>, tensor<3xi64>
    %5 = stablehlo.convert %4 : (tensor<3xi64>) -> tensor<3xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %7 = "stablehlo.scatter"(%arg0, %6, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      %32 = stablehlo.add %arg2, %arg3 : tensor<f64>
      stablehlo.return %32 : tensor<f64>
    }) : (tensor<4x2xf64>, tensor<3x1xi32>, tensor<3x2xf64>) -> tensor<4x2xf64>
    %c_4 = stablehlo.constant dense<0> : tensor<i64>
    %8 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %9 = stablehlo.compare LT, %c_0, %8, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %c_5 = stablehlo.constant dense<4> : tensor<i64>
    %10 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %11 = stablehlo.add %c_0, %10 : tensor<3xi64>
    %12 = stablehlo.select %9, %11, %c_0 : tensor<3xi1>, tensor<3xi64>
    %13 = stablehlo.convert %12 : (tensor<3xi64>) -> tensor<3xi32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %15 = "stablehlo.scatter"(%arg0, %14, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      stablehlo.return %arg3 : tensor<f64>
    }) : (tensor<4x2xf64>, tensor<3x1xi32>, tensor<3x2xf64>) -> tensor<4x2xf64>
    %c_6 = stablehlo.constant dense<0> : tensor<i64>
    %16 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %17 = stablehlo.compare LT, %c_1, %16, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %c_7 = stablehlo.constant dense<4> : tensor<i64>
    %18 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %19 = stablehlo.add %c_1, %18 : tensor<3xi64>
    %20 = stablehlo.select %17, %19, %c_1 : tensor<3xi1>, tensor<3xi64>
    %21 = stablehlo.convert %20 : (tensor<3xi64>) -> tensor<3xi32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %23 = "stablehlo.scatter"(%arg0, %22, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      %32 = stablehlo.multiply %arg2, %arg3 : tensor<f64>
      stablehlo.return %32 : tensor<f64>
    }) : (tensor<4x2xf64>, tensor<3x1xi32>, tensor<3x2xf64>) -> tensor<4x2xf64>
    %c_8 = stablehlo.constant dense<0> : tensor<i64>
    %24 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %25 = stablehlo.compare LT, %c, %24, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %c_9 = stablehlo.constant dense<4> : tensor<i64>
    %26 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %27 = stablehlo.add %c, %26 : tensor<3xi64>
    %28 = stablehlo.select %25, %27, %c : tensor<3xi1>, tensor<3xi64>
    %29 = stablehlo.convert %28 : (tensor<3xi64>) -> tensor<3xi32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %31 = "stablehlo.scatter"(%arg0, %30, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      %32 = stablehlo.maximum %arg2, %arg3 : tensor<f64>
      stablehlo.return %32 : tensor<f64>
    }) : (tensor<4x2xf64>, tensor<3x1xi32>, tensor<3x2xf64>) -> tensor<4x2xf64>
    return %7, %15, %23, %31 : tensor<4x2xf64>, tensor<4x2xf64>, tensor<4x2xf64>, tensor<4x2xf64>
  }
}
