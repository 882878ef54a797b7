module @jit_loss attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<3x8xf32>, %arg1: tensor<4x3xf32>) -> (tensor<3x8xf32> {jax.result_info = "result[0]"}, tensor<4x3xf32> {jax.result_info = "result[1]"}) {
    %0:4 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{}, {"y"}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%arg2: tensor<3x2xf32>, %arg3: tensor<2x3xf32>) {
      %10 = stablehlo.dot_general %arg3, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
      %11 = stablehlo.tanh %10 : tensor<2x2xf32>
      %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
      %13 = stablehlo.subtract %12, %11 : tensor<2x2xf32>
      %14 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
      %15 = stablehlo.dot_general %11, %14, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
      %16 = "stablehlo.all_reduce"(%15) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %17 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %17 : tensor<f32>
      }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
      sdy.return %11, %13, %14, %16 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<2x3xf32>
    } : (tensor<3x8xf32>, tensor<4x3xf32>) -> (tensor<16x2xf32>, tensor<16x2xf32>, tensor<16x3xf32>, tensor<4x3xf32>)
    %1 = stablehlo.multiply %0#3, %0#3 : tensor<4x3xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %3 = stablehlo.multiply %2, %0#3 : tensor<4x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %6 = stablehlo.multiply %5, %3 : tensor<4x3xf32>
    %cst_2 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %8 = stablehlo.divide %6, %7 : tensor<4x3xf32>
    %9:2 = sdy.manual_computation(%8, %arg0, %arg1, %0#0, %0#1, %0#2) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {"y"}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>] out_shardings=[<@mesh, [{}, {"y"}]>, <@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%arg2: tensor<2x3xf32>, %arg3: tensor<3x2xf32>, %arg4: tensor<2x3xf32>, %arg5: tensor<2x2xf32>, %arg6: tensor<2x2xf32>, %arg7: tensor<2x3xf32>) {
      %10 = "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
        %24 = stablehlo.add %arg8, %arg9 : tensor<f32>
        stablehlo.return %24 : tensor<f32>
      }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %11 = stablehlo.dot_general %10, %arg5, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
      %12 = stablehlo.transpose %11, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
      %13 = stablehlo.dot_general %10, %arg7, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
      %14 = stablehlo.transpose %12, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
      %15 = stablehlo.multiply %13, %arg6 : tensor<2x2xf32>
      %16 = stablehlo.multiply %15, %arg5 : tensor<2x2xf32>
      %17 = stablehlo.add %15, %16 : tensor<2x2xf32>
      %18 = stablehlo.dot_general %17, %arg4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
      %19 = stablehlo.transpose %18, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
      %20 = stablehlo.add %14, %19 : tensor<3x2xf32>
      %21 = stablehlo.dot_general %17, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
      %22 = "stablehlo.all_reduce"(%20) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
        %24 = stablehlo.add %arg8, %arg9 : tensor<f32>
        stablehlo.return %24 : tensor<f32>
      }) : (tensor<3x2xf32>) -> tensor<3x2xf32>
      %23 = "stablehlo.all_reduce"(%21) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
        %24 = stablehlo.add %arg8, %arg9 : tensor<f32>
        stablehlo.return %24 : tensor<f32>
      }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
      sdy.return %22, %23 : tensor<3x2xf32>, tensor<2x3xf32>
    } : (tensor<4x3xf32>, tensor<3x8xf32>, tensor<4x3xf32>, tensor<16x2xf32>, tensor<16x2xf32>, tensor<16x3xf32>) -> (tensor<3x8xf32>, tensor<4x3xf32>)
    return %9#0, %9#1 : tensor<3x8xf32>, tensor<4x3xf32>
  }
}
