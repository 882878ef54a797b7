// expect 0.270054 -0.993889 0.992978 -0.793374 -1.23184 1.35827 0 -0.805026 0.0972793 0.460853 -0.766686 0.99277 -0.292978 -0.602719 0.392685 0.825329 1.4963 -1.32385 -0.968153 -0.116701 -0.348398 -0.568194 0.0816181 0.672274 3 2 3 0 2 2 3 2 0 1 0 2 1 3 0.124455 0.486399 -0.487175 -1.10301 1.57691 -1.64389 -0.889191 0.315744 -0.714887 0.154382 0.726774 -1.02065 1 1 1 0
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<54xf32> {jax.result_info = "result"}) {
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
    %9:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%8) {backend_config = "", mhlo.backend_config = {}} : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x3xi32>, tensor<2xi32>)
    %c = stablehlo.constant dense<1> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x3xi32>
    %11 = stablehlo.subtract %9#1, %10 : tensor<2x3xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %13 = stablehlo.compare GE, %9#2, %12, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_2 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x4x3xf32>
    %16 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x4x3xi1>
    %17 = stablehlo.select %16, %9#0, %15 : tensor<2x4x3xi1>, tensor<2x4x3xf32>
    %18 = stablehlo.iota dim = 1 : tensor<2x4xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %19:4 = stablehlo.while(%iterArg = %11, %iterArg_15 = %c_4, %iterArg_16 = %c_3, %iterArg_17 = %18) : tensor<2x3xi32>, tensor<i32>, tensor<i32>, tensor<2x4xi32>
    cond {
      %c_18 = stablehlo.constant dense<3> : tensor<i32>
      %62 = stablehlo.compare LT, %iterArg_15, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %62 : tensor<i1>
    } do {
      %62:2 = func.call @closed_call(%iterArg, %iterArg_16, %iterArg_17) : (tensor<2x3xi32>, tensor<i32>, tensor<2x4xi32>) -> (tensor<i32>, tensor<2x4xi32>)
      %c_18 = stablehlo.constant dense<1> : tensor<i32>
      %63 = stablehlo.add %iterArg_15, %c_18 : tensor<i32>
      stablehlo.return %iterArg, %63, %62#0, %62#1 : tensor<2x3xi32>, tensor<i32>, tensor<i32>, tensor<2x4xi32>
    }
    %20 = stablehlo.iota dim = 0 : tensor<6xf32>
    %21 = stablehlo.multiply %20, %20 : tensor<6xf32>
    %cst_5 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %23 = stablehlo.multiply %21, %22 : tensor<6xf32>
    %24 = stablehlo.add %23, %20 : tensor<6xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %26 = stablehlo.add %24, %25 : tensor<6xf32>
    %27 = stablehlo.sine %26 : tensor<6xf32>
    %28 = stablehlo.multiply %20, %20 : tensor<6xf32>
    %cst_7 = stablehlo.constant dense<1.100000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %30 = stablehlo.multiply %28, %29 : tensor<6xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %32 = stablehlo.add %30, %31 : tensor<6xf32>
    %33 = stablehlo.cosine %32 : tensor<6xf32>
    %34 = stablehlo.convert %33 : (tensor<6xf32>) -> tensor<6xcomplex<f32>>
    %cst_9 = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>
    %35 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<complex<f32>>) -> tensor<6xcomplex<f32>>
    %36 = stablehlo.multiply %35, %34 : tensor<6xcomplex<f32>>
    %37 = stablehlo.convert %27 : (tensor<6xf32>) -> tensor<6xcomplex<f32>>
    %38 = stablehlo.add %37, %36 : tensor<6xcomplex<f32>>
    %39 = stablehlo.reshape %38 : (tensor<6xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    %40:3 = stablehlo.custom_call @lapack_cgetrf_ffi(%39) {backend_config = "", mhlo.backend_config = {}} : (tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>, tensor<2xi32>, tensor<i32>)
    %c_10 = stablehlo.constant dense<1> : tensor<i32>
    %41 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %42 = stablehlo.subtract %40#1, %41 : tensor<2xi32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %43 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<i32>
    %44 = stablehlo.compare GE, %40#2, %43, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %45 = stablehlo.broadcast_in_dim %44, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_12 = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %46 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<complex<f32>>) -> tensor<2x3xcomplex<f32>>
    %47 = stablehlo.broadcast_in_dim %45, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<2x3xi1>
    %48 = stablehlo.select %47, %40#0, %46 : tensor<2x3xi1>, tensor<2x3xcomplex<f32>>
    %49 = stablehlo.iota dim = 0 : tensor<2xi32>
    %c_13 = stablehlo.constant dense<0> : tensor<i32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %50:4 = stablehlo.while(%iterArg = %42, %iterArg_15 = %c_14, %iterArg_16 = %c_13, %iterArg_17 = %49) : tensor<2xi32>, tensor<i32>, tensor<i32>, tensor<2xi32>
    cond {
      %c_18 = stablehlo.constant dense<2> : tensor<i32>
      %62 = stablehlo.compare LT, %iterArg_15, %c_18, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %62 : tensor<i1>
    } do {
      %62:2 = func.call @closed_call_0(%iterArg, %iterArg_16, %iterArg_17) : (tensor<2xi32>, tensor<i32>, tensor<2xi32>) -> (tensor<i32>, tensor<2xi32>)
      %c_18 = stablehlo.constant dense<1> : tensor<i32>
      %63 = stablehlo.add %iterArg_15, %c_18 : tensor<i32>
      stablehlo.return %iterArg, %63, %62#0, %62#1 : tensor<2xi32>, tensor<i32>, tensor<i32>, tensor<2xi32>
    }
    %51 = stablehlo.reshape %17 : (tensor<2x4x3xf32>) -> tensor<24xf32>
    %52 = stablehlo.reshape %11 : (tensor<2x3xi32>) -> tensor<6xi32>
    %53 = stablehlo.reshape %19#3 : (tensor<2x4xi32>) -> tensor<8xi32>
    %54 = stablehlo.reshape %48 : (tensor<2x3xcomplex<f32>>) -> tensor<6xcomplex<f32>>
    %55 = stablehlo.real %54 : (tensor<6xcomplex<f32>>) -> tensor<6xf32>
    %56 = stablehlo.imag %54 : (tensor<6xcomplex<f32>>) -> tensor<6xf32>
    %57 = stablehlo.convert %52 : (tensor<6xi32>) -> tensor<6xf32>
    %58 = stablehlo.convert %53 : (tensor<8xi32>) -> tensor<8xf32>
    %59 = stablehlo.convert %42 : (tensor<2xi32>) -> tensor<2xf32>
    %60 = stablehlo.convert %50#3 : (tensor<2xi32>) -> tensor<2xf32>
    %61 = stablehlo.concatenate %51, %57, %58, %55, %56, %59, %60, dim = 0 : (tensor<24xf32>, tensor<6xf32>, tensor<8xf32>, tensor<6xf32>, tensor<6xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<54xf32>
    return %61 : tensor<54xf32>
  }
  func.func private @closed_call(%arg0: tensor<2x3xi32>, %arg1: tensor<i32>, %arg2: tensor<2x4xi32>) -> (tensor<i32>, tensor<2x4xi32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg1, %c : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare LT, %arg1, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = stablehlo.convert %arg1 : tensor<i32>
    %c_1 = stablehlo.constant dense<3> : tensor<i32>
    %3 = stablehlo.add %2, %c_1 : tensor<i32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<i1>, tensor<i32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, indices_are_sorted = true, slice_sizes = array<i64: 2, 1>}> : (tensor<2x3xi32>, tensor<1xi32>) -> tensor<2x1xi32>
    %7 = stablehlo.reshape %6 : (tensor<2x1xi32>) -> tensor<2xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.compare LT, %arg1, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %9 = stablehlo.convert %arg1 : tensor<i32>
    %c_3 = stablehlo.constant dense<4> : tensor<i32>
    %10 = stablehlo.add %9, %c_3 : tensor<i32>
    %11 = stablehlo.select %8, %10, %arg1 : tensor<i1>, tensor<i32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %13 = "stablehlo.gather"(%arg2, %12) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, indices_are_sorted = true, slice_sizes = array<i64: 2, 1>}> : (tensor<2x4xi32>, tensor<1xi32>) -> tensor<2x1xi32>
    %14 = stablehlo.reshape %13 : (tensor<2x1xi32>) -> tensor<2xi32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %15 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %16 = stablehlo.compare LT, %7, %15, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_5 = stablehlo.constant dense<4> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %18 = stablehlo.add %7, %17 : tensor<2xi32>
    %19 = stablehlo.select %16, %18, %7 : tensor<2xi1>, tensor<2xi32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %21 = "stablehlo.gather"(%arg2, %20) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1>}> : (tensor<2x4xi32>, tensor<2x1xi32>) -> tensor<2x1xi32>
    %22 = stablehlo.reshape %21 : (tensor<2x1xi32>) -> tensor<2xi32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %23 = stablehlo.compare LT, %arg1, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_7 = stablehlo.constant dense<4> : tensor<i32>
    %24 = stablehlo.add %arg1, %c_7 : tensor<i32>
    %25 = stablehlo.select %23, %24, %arg1 : tensor<i1>, tensor<i32>
    %26 = stablehlo.convert %25 : tensor<i32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %28 = "stablehlo.scatter"(%arg2, %27, %22) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<2x4xi32>, tensor<1xi32>, tensor<2xi32>) -> tensor<2x4xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %29 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %30 = stablehlo.compare LT, %7, %29, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_9 = stablehlo.constant dense<4> : tensor<i32>
    %31 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %32 = stablehlo.add %7, %31 : tensor<2xi32>
    %33 = stablehlo.select %30, %32, %7 : tensor<2xi1>, tensor<2xi32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %35 = "stablehlo.scatter"(%28, %34, %14) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<2x4xi32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x4xi32>
    return %0, %35 : tensor<i32>, tensor<2x4xi32>
  }
  func.func private @closed_call_0(%arg0: tensor<2xi32>, %arg1: tensor<i32>, %arg2: tensor<2xi32>) -> (tensor<i32>, tensor<2xi32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg1, %c : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare LT, %arg1, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = stablehlo.convert %arg1 : tensor<i32>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %3 = stablehlo.add %2, %c_1 : tensor<i32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<i1>, tensor<i32>
    %5 = stablehlo.dynamic_slice %arg0, %4, sizes = [1] : (tensor<2xi32>, tensor<i32>) -> tensor<1xi32>
    %6 = stablehlo.reshape %5 : (tensor<1xi32>) -> tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.compare LT, %arg1, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %8 = stablehlo.convert %arg1 : tensor<i32>
    %c_3 = stablehlo.constant dense<2> : tensor<i32>
    %9 = stablehlo.add %8, %c_3 : tensor<i32>
    %10 = stablehlo.select %7, %9, %arg1 : tensor<i1>, tensor<i32>
    %11 = stablehlo.dynamic_slice %arg2, %10, sizes = [1] : (tensor<2xi32>, tensor<i32>) -> tensor<1xi32>
    %12 = stablehlo.reshape %11 : (tensor<1xi32>) -> tensor<i32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %13 = stablehlo.compare LT, %6, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_5 = stablehlo.constant dense<2> : tensor<i32>
    %14 = stablehlo.add %6, %c_5 : tensor<i32>
    %15 = stablehlo.select %13, %14, %6 : tensor<i1>, tensor<i32>
    %16 = stablehlo.dynamic_slice %arg2, %15, sizes = [1] : (tensor<2xi32>, tensor<i32>) -> tensor<1xi32>
    %17 = stablehlo.reshape %16 : (tensor<1xi32>) -> tensor<i32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %18 = stablehlo.compare LT, %arg1, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_7 = stablehlo.constant dense<2> : tensor<i32>
    %19 = stablehlo.add %arg1, %c_7 : tensor<i32>
    %20 = stablehlo.select %18, %19, %arg1 : tensor<i1>, tensor<i32>
    %21 = stablehlo.convert %20 : tensor<i32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %23 = "stablehlo.scatter"(%arg2, %22, %17) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<2xi32>, tensor<1xi32>, tensor<i32>) -> tensor<2xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %24 = stablehlo.compare LT, %6, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_9 = stablehlo.constant dense<2> : tensor<i32>
    %25 = stablehlo.add %6, %c_9 : tensor<i32>
    %26 = stablehlo.select %24, %25, %6 : tensor<i1>, tensor<i32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %28 = "stablehlo.scatter"(%23, %27, %12) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<2xi32>, tensor<1xi32>, tensor<i32>) -> tensor<2xi32>
    return %0, %28 : tensor<i32>, tensor<2xi32>
  }
}
