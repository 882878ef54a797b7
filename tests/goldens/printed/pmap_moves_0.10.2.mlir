module @jit__fun attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["i"=8]> {stablehlo.mesh = {axes = [{name = "i", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<8x8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}, {}]>}) -> (tensor<8x8x8x2xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}, {}, {}]>}, tensor<8x2xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}]>}, tensor<8x8x2xf32> {jax.result_info = "result[2]", sdy.sharding = #sdy.sharding<@mesh, [{"i"}, {}, {}]>}) {
    %0:3 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"i"}, {}, {}]>] out_shardings=[<@mesh, [{"i"}, {}, {}, {}]>, <@mesh, [{"i"}, {}]>, <@mesh, [{"i"}, {}, {}]>] manual_axes={"i"} (%arg1: tensor<1x8x2xf32>) {
      %1 = stablehlo.reshape %arg1 : (tensor<1x8x2xf32>) -> tensor<8x2xf32>
      %2 = stablehlo.broadcast_in_dim %1, dims = [1, 2] : (tensor<8x2xf32>) -> tensor<1x8x2xf32>
      %3 = "stablehlo.all_gather"(%2) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> : (tensor<1x8x2xf32>) -> tensor<8x8x2xf32>
      %4 = "stablehlo.reduce_scatter"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %10 = stablehlo.add %arg2, %arg3 : tensor<f32>
        stablehlo.return %10 : tensor<f32>
      }) : (tensor<8x2xf32>) -> tensor<1x2xf32>
      %5 = stablehlo.reshape %4 : (tensor<1x2xf32>) -> tensor<2xf32>
      %6 = "stablehlo.all_to_all"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, split_count = 8 : i64, split_dimension = 0 : i64}> : (tensor<8x2xf32>) -> tensor<8x2xf32>
      %7 = stablehlo.broadcast_in_dim %3, dims = [1, 2, 3] : (tensor<8x8x2xf32>) -> tensor<1x8x8x2xf32>
      %8 = stablehlo.broadcast_in_dim %5, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
      %9 = stablehlo.broadcast_in_dim %6, dims = [1, 2] : (tensor<8x2xf32>) -> tensor<1x8x2xf32>
      sdy.return %7, %8, %9 : tensor<1x8x8x2xf32>, tensor<1x2xf32>, tensor<1x8x2xf32>
    } : (tensor<8x8x2xf32>) -> (tensor<8x8x8x2xf32>, tensor<8x2xf32>, tensor<8x8x2xf32>)
    return %0#0, %0#1, %0#2 : tensor<8x8x8x2xf32>, tensor<8x2xf32>, tensor<8x8x2xf32>
  }
}
