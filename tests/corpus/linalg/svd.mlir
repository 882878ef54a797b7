// expect 2.22314 0.365898 0.0593218 1.87529 0.492164 0.201319 0.631954 0.102768 0.383155 0.307876 0.385101 0.554224 0.320037 0.669858 0.66962 0.635156 0.62644 0.312467 0.3828 0.514844 0.765995 0.379046 0.49606 0.552159 0.745192 0.651138 0.0582615 0.393035 0.254714 0.324003 0.0290761 0.697026 0.716456 0.985575 0.0995613 0.136859 0.166726 0.7101 0.684076 0.055941 0.699976 0.711972 0.998433 0.0384273 0.0406689 0.00110804 0.713132 0.701029 1.58415e-08 0.991665 -0.996165 0.124455 0.486399 -0.487174 -0.214254 -0.443316 0.570468 0.270054 -0.993889 0.992978 -0.292978 -0.602718 0.392685 0.283648 0.408904 -0.574082 -0.241803 0.99886 -0.999756 0.166468 0.464586 -0.56539
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<72xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<24xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<24xf32>
    %cst = stablehlo.constant dense<0.699999988> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %3 = stablehlo.multiply %1, %2 : tensor<24xf32>
    %4 = stablehlo.add %3, %0 : tensor<24xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %6 = stablehlo.add %4, %5 : tensor<24xf32>
    %7 = stablehlo.sine %6 : tensor<24xf32>
    %8 = stablehlo.reshape %7 : (tensor<24xf32>) -> tensor<2x4x3xf32>
    %9:3 = call @svd(%8) : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x3xf32>, tensor<2x3x3xf32>)
    %10 = stablehlo.abs %9#0 : tensor<2x4x3xf32>
    %11 = stablehlo.abs %9#2 : tensor<2x3x3xf32>
    %12 = stablehlo.broadcast_in_dim %9#1, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<2x1x3xf32>) -> tensor<2x4x3xf32>
    %14 = stablehlo.multiply %9#0, %13 : tensor<2x4x3xf32>
    %15 = stablehlo.dot_general %14, %9#2, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x3xf32>, tensor<2x3x3xf32>) -> tensor<2x4x3xf32>
    %16 = stablehlo.reshape %9#1 : (tensor<2x3xf32>) -> tensor<6xf32>
    %17 = stablehlo.reshape %10 : (tensor<2x4x3xf32>) -> tensor<24xf32>
    %18 = stablehlo.reshape %11 : (tensor<2x3x3xf32>) -> tensor<18xf32>
    %19 = stablehlo.reshape %15 : (tensor<2x4x3xf32>) -> tensor<24xf32>
    %20 = stablehlo.concatenate %16, %17, %18, %19, dim = 0 : (tensor<6xf32>, tensor<24xf32>, tensor<18xf32>, tensor<24xf32>) -> tensor<72xf32>
    return %20 : tensor<72xf32>
  }
  func.func private @svd(%arg0: tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x3xf32>, tensor<2x3x3xf32>) {
    %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 83 : ui8}} : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x3xf32>, tensor<2x4x3xf32>, tensor<2x3x3xf32>, tensor<2xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x3xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<2x3xi1>, tensor<2x3xf32>
    %7 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x4x3xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x4x3xi1>
    %10 = stablehlo.select %9, %0#2, %8 : tensor<2x4x3xi1>, tensor<2x4x3xf32>
    %11 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x3x3xi1>
    %14 = stablehlo.select %13, %0#3, %12 : tensor<2x3x3xi1>, tensor<2x3x3xf32>
    return %10, %6, %14 : tensor<2x4x3xf32>, tensor<2x3xf32>, tensor<2x3x3xf32>
  }
}
