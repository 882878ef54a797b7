module @jit__fun attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["_internal_pmap_axis_name"=4]> {stablehlo.mesh = {axes = [{name = "_internal_pmap_axis_name", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<4x3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"_internal_pmap_axis_name"}, {}, {}]>}) -> (tensor<4x2xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"_internal_pmap_axis_name"}, {}]>}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"_internal_pmap_axis_name"}, {}, {}]>] out_shardings=[<@mesh, [{"_internal_pmap_axis_name"}, {}]>] manual_axes={"_internal_pmap_axis_name"} (%arg1: tensor<1x3x2xf32>) {
      %1 = stablehlo.reshape %arg1 : (tensor<1x3x2xf32>) -> tensor<3x2xf32>
      %2 = stablehlo.sine %1 : tensor<3x2xf32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3x2xf32>, tensor<f32>) -> tensor<2xf32>
      %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
      sdy.return %4 : tensor<1x2xf32>
    } : (tensor<4x3x2xf32>) -> tensor<4x2xf32>
    return %0 : tensor<4x2xf32>
  }
}
