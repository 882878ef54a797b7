module @jit_takes attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x2xf64>, %arg1: tensor<3x2xf64>) -> (tensor<3x2xf64> {jax.result_info = "result[0]"}, tensor<4x2xf64> {jax.result_info = "result[1]"}, tensor<4xf64> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<[2, 0, 2]> : tensor<3xi64>
    %c_0 = stablehlo.constant dense<[[1, 0], [1, 0], [1, 0], [1, 0]]> : tensor<4x2xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %1 = stablehlo.compare LT, %c, %0, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
    %c_2 = stablehlo.constant dense<4> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %3 = stablehlo.add %c, %2 : tensor<3xi64>
    %4 = stablehlo.select %1, %3, %c : tensor<3xi1>, tensor<3xi64>
    %5 = stablehlo.convert %4 : (tensor<3xi64>) -> tensor<3xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %7 = "stablehlo.gather"(%arg0, %6) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}> : (tensor<4x2xf64>, tensor<3x1xi32>) -> tensor<3x2xf64>
    %8 = stablehlo.multiply %7, %arg1 : tensor<3x2xf64>
    %9 = call @take_along_axis(%arg0, %c_0) : (tensor<4x2xf64>, tensor<4x2xi64>) -> tensor<4x2xf64>
    %10 = stablehlo.slice %arg0 [0:4, 1:2] : (tensor<4x2xf64>) -> tensor<4x1xf64>
    %11 = stablehlo.reverse %10, dims = [0] : tensor<4x1xf64>
    %12 = stablehlo.reshape %11 : (tensor<4x1xf64>) -> tensor<4xf64>
    return %8, %9, %12 : tensor<3x2xf64>, tensor<4x2xf64>, tensor<4xf64>
  }
  func.func private @take_along_axis(%arg0: tensor<4x2xf64>, %arg1: tensor<4x2xi64>) -> tensor<4x2xf64> {
    %0 = stablehlo.convert %arg1 : (tensor<4x2xi64>) -> tensor<4x2xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x2xi32>
    %2 = stablehlo.compare LT, %0, %1, SIGNED : (tensor<4x2xi32>, tensor<4x2xi32>) -> tensor<4x2xi1>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4x2xi32>
    %4 = stablehlo.add %0, %3 : tensor<4x2xi32>
    %5 = stablehlo.select %2, %4, %0 : tensor<4x2xi1>, tensor<4x2xi32>
    %6 = stablehlo.reshape %5 : (tensor<4x2xi32>) -> tensor<4x2x1xi32>
    %c_1 = stablehlo.constant dense<1> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4x2x1xi32>
    %8 = stablehlo.compare GE, %6, %7, SIGNED : (tensor<4x2x1xi32>, tensor<4x2x1xi32>) -> tensor<4x2x1xi1>
    %9 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<4x2x1xi32>
    %11 = stablehlo.compare LE, %6, %10, SIGNED : (tensor<4x2x1xi32>, tensor<4x2x1xi32>) -> tensor<4x2x1xi1>
    %12 = stablehlo.and %8, %11 : tensor<4x2x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %13 = stablehlo.reduce(%12 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<4x2x1xi1>, tensor<i1>) -> tensor<4x2xi1>
    %14 = "stablehlo.gather"(%arg0, %6) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x2xf64>, tensor<4x2x1xi32>) -> tensor<4x2xf64>
    %cst = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x2xf64>
    %16 = stablehlo.select %13, %14, %15 : tensor<4x2xi1>, tensor<4x2xf64>
    return %16 : tensor<4x2xf64>
  }
}
