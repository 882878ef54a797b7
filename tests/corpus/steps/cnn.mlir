module @jit_flat attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<3x3x1x4xf32>, %arg2: tensor<8xf32>, %arg3: tensor<3x3x4x8xf32>, %arg4: tensor<10xf32>, %arg5: tensor<128x10xf32>, %arg6: tensor<4xf32>, %arg7: tensor<3x3x1x4xf32>, %arg8: tensor<8xf32>, %arg9: tensor<3x3x4x8xf32>, %arg10: tensor<10xf32>, %arg11: tensor<128x10xf32>, %arg12: tensor<8x8x8x1xf32>, %arg13: tensor<8xi32>) -> (tensor<4xf32> {jax.result_info = "result[0]"}, tensor<3x3x1x4xf32> {jax.result_info = "result[1]"}, tensor<8xf32> {jax.result_info = "result[2]"}, tensor<3x3x4x8xf32> {jax.result_info = "result[3]"}, tensor<10xf32> {jax.result_info = "result[4]"}, tensor<128x10xf32> {jax.result_info = "result[5]"}, tensor<4xf32> {jax.result_info = "result[6]"}, tensor<3x3x1x4xf32> {jax.result_info = "result[7]"}, tensor<8xf32> {jax.result_info = "result[8]"}, tensor<3x3x4x8xf32> {jax.result_info = "result[9]"}, tensor<10xf32> {jax.result_info = "result[10]"}, tensor<128x10xf32> {jax.result_info = "result[11]"}, tensor<f32> {jax.result_info = "result[12]"}) {
    %0 = stablehlo.convolution(%arg12, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x8x1xf32>, tensor<3x3x1x4xf32>) -> tensor<8x8x8x4xf32>
    %1 = stablehlo.reshape %arg0 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<8x8x8x4xf32>
    %3 = stablehlo.add %0, %2 : tensor<8x8x8x4xf32>
    %4 = call @relu(%3) : (tensor<8x8x8x4xf32>) -> tensor<8x8x8x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8x8x4xf32>
    %6 = stablehlo.compare GT, %3, %5, FLOAT : (tensor<8x8x8x4xf32>, tensor<8x8x8x4xf32>) -> tensor<8x8x8x4xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x8x8x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<f32>
    %9 = "stablehlo.reduce_window"(%4, %8) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg14: tensor<f32>, %arg15: tensor<f32>):
      %140 = stablehlo.add %arg14, %arg15 : tensor<f32>
      stablehlo.return %140 : tensor<f32>
    }) : (tensor<8x8x8x4xf32>, tensor<f32>) -> tensor<8x4x4x4xf32>
    %cst_2 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x4x4x4xf32>
    %11 = stablehlo.divide %9, %10 : tensor<8x4x4x4xf32>
    %12 = stablehlo.convolution(%11, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x4x4x4xf32>, tensor<3x3x4x8xf32>) -> tensor<8x4x4x8xf32>
    %13 = stablehlo.reshape %arg2 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<8x4x4x8xf32>
    %15 = stablehlo.add %12, %14 : tensor<8x4x4x8xf32>
    %16 = call @relu_0(%15) : (tensor<8x4x4x8xf32>) -> tensor<8x4x4x8xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x4x4x8xf32>
    %18 = stablehlo.compare GT, %15, %17, FLOAT : (tensor<8x4x4x8xf32>, tensor<8x4x4x8xf32>) -> tensor<8x4x4x8xi1>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x4x4x8xf32>
    %20 = stablehlo.reshape %16 : (tensor<8x4x4x8xf32>) -> tensor<8x128xf32>
    %21 = stablehlo.dot_general %20, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128xf32>, tensor<128x10xf32>) -> tensor<8x10xf32>
    %22 = stablehlo.reshape %arg4 : (tensor<10xf32>) -> tensor<1x10xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<8x10xf32>
    %24 = stablehlo.add %21, %23 : tensor<8x10xf32>
    %25 = stablehlo.broadcast_in_dim %arg13, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %26:2 = call @take_along_axis(%24, %25) : (tensor<8x10xf32>, tensor<8x1xi32>) -> (tensor<8x1xf32>, tensor<8x1x1xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %27:2 = call @_take(%26#0, %c) : (tensor<8x1xf32>, tensor<i32>) -> (tensor<8xf32>, tensor<1xi32>)
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %28 = stablehlo.reduce(%24 init: %cst_5) applies stablehlo.maximum across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %29 = stablehlo.reshape %28 : (tensor<8xf32>) -> tensor<8x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x10xf32>
    %31 = stablehlo.compare EQ, %24, %30, FLOAT : (tensor<8x10xf32>, tensor<8x10xf32>) -> tensor<8x10xi1>
    %32 = stablehlo.convert %31 : (tensor<8x10xi1>) -> tensor<8x10xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.reduce(%32 init: %cst_6) applies stablehlo.add across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %35 = stablehlo.maximum %34, %28 : tensor<8xf32>
    %36 = stablehlo.compare EQ, %28, %35, FLOAT : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %39 = stablehlo.select %36, %37, %38 : tensor<8xi1>, tensor<8xf32>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %41 = stablehlo.compare EQ, %40, %35, FLOAT : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %cst_11 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %44 = stablehlo.select %41, %42, %43 : tensor<8xi1>, tensor<8xf32>
    %45 = stablehlo.divide %39, %44 : tensor<8xf32>
    %46 = stablehlo.is_finite %35 : (tensor<8xf32>) -> tensor<8xi1>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %48 = stablehlo.select %46, %35, %47 : tensor<8xi1>, tensor<8xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %50 = stablehlo.broadcast_in_dim %48, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x10xf32>
    %52 = stablehlo.subtract %24, %51 : tensor<8x10xf32>
    %53 = stablehlo.exponential %52 : tensor<8x10xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54 = stablehlo.reduce(%53 init: %cst_15) applies stablehlo.add across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %55 = stablehlo.sign %54 : tensor<8xf32>
    %56 = stablehlo.abs %54 : tensor<8xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %58 = stablehlo.compare GE, %54, %57, FLOAT : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %59 = stablehlo.log %56 : tensor<8xf32>
    %60 = stablehlo.add %59, %48 : tensor<8xf32>
    %61 = stablehlo.subtract %60, %27#0 : tensor<8xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %62 = stablehlo.reduce(%61 init: %cst_17) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %cst_18 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %63 = stablehlo.divide %62, %cst_18 : tensor<f32>
    %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_20 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %64 = stablehlo.divide %cst_19, %cst_20 : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %64, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %66 = stablehlo.negate %65 : tensor<8xf32>
    %67 = stablehlo.divide %65, %56 : tensor<8xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %69 = stablehlo.select %58, %68, %67 : tensor<8xi1>, tensor<8xf32>
    %70 = stablehlo.select %58, %67, %68 : tensor<8xi1>, tensor<8xf32>
    %71 = stablehlo.negate %69 : tensor<8xf32>
    %72 = stablehlo.add %70, %71 : tensor<8xf32>
    %73 = stablehlo.broadcast_in_dim %72, dims = [0] : (tensor<8xf32>) -> tensor<8x10xf32>
    %74 = stablehlo.multiply %73, %53 : tensor<8x10xf32>
    %75 = call @_take_1(%27#1, %66) : (tensor<1xi32>, tensor<8xf32>) -> tensor<8x1xf32>
    %76 = call @take_along_axis_2(%26#1, %75) : (tensor<8x1x1xi32>, tensor<8x1xf32>) -> tensor<8x10xf32>
    %77 = stablehlo.add %74, %76 : tensor<8x10xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %78 = stablehlo.reduce(%77 init: %cst_22) applies stablehlo.add across dimensions = [0] : (tensor<8x10xf32>, tensor<f32>) -> tensor<10xf32>
    %79 = stablehlo.reshape %78 : (tensor<10xf32>) -> tensor<1x10xf32>
    %80 = stablehlo.reshape %79 : (tensor<1x10xf32>) -> tensor<10xf32>
    %81 = stablehlo.dot_general %77, %20, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x10xf32>, tensor<8x128xf32>) -> tensor<10x128xf32>
    %82 = stablehlo.transpose %81, dims = [1, 0] : (tensor<10x128xf32>) -> tensor<128x10xf32>
    %83 = stablehlo.dot_general %77, %arg5, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x10xf32>, tensor<128x10xf32>) -> tensor<8x128xf32>
    %84 = stablehlo.reshape %83 : (tensor<8x128xf32>) -> tensor<8x4x4x8xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<8x4x4x8xf32>
    %86 = stablehlo.select %18, %84, %85 : tensor<8x4x4x8xi1>, tensor<8x4x4x8xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %87 = stablehlo.reduce(%86 init: %cst_24) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %88 = stablehlo.reshape %87 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %89 = stablehlo.reshape %88 : (tensor<1x1x1x8xf32>) -> tensor<8xf32>
    %90 = stablehlo.convolution(%11, %86) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x4x4x4xf32>, tensor<8x4x4x8xf32>) -> tensor<3x3x4x8xf32>
    %91 = stablehlo.reverse %arg3, dims = [0, 1] : tensor<3x3x4x8xf32>
    %92 = stablehlo.convolution(%86, %91) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x4x4x8xf32>, tensor<3x3x4x8xf32>) -> tensor<8x4x4x4xf32>
    %cst_25 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<8x4x4x4xf32>
    %94 = stablehlo.divide %92, %93 : tensor<8x4x4x4xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %95 = stablehlo.pad %94, %cst_26, low = [0, 1, 1, 0], high = [0, 1, 1, 0], interior = [0, 1, 1, 0] : (tensor<8x4x4x4xf32>, tensor<f32>) -> tensor<8x9x9x4xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<f32>
    %97 = "stablehlo.reduce_window"(%95, %96) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%arg14: tensor<f32>, %arg15: tensor<f32>):
      %140 = stablehlo.add %arg14, %arg15 : tensor<f32>
      stablehlo.return %140 : tensor<f32>
    }) : (tensor<8x9x9x4xf32>, tensor<f32>) -> tensor<8x8x8x4xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %98 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<8x8x8x4xf32>
    %99 = stablehlo.select %6, %97, %98 : tensor<8x8x8x4xi1>, tensor<8x8x8x4xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %100 = stablehlo.reduce(%99 init: %cst_29) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x8x8x4xf32>, tensor<f32>) -> tensor<4xf32>
    %101 = stablehlo.reshape %100 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %102 = stablehlo.reshape %101 : (tensor<1x1x1x4xf32>) -> tensor<4xf32>
    %103 = stablehlo.convolution(%arg12, %99) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x8x1xf32>, tensor<8x8x8x4xf32>) -> tensor<3x3x1x4xf32>
    %cst_30 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %105 = stablehlo.multiply %104, %arg6 : tensor<4xf32>
    %106 = stablehlo.add %102, %105 : tensor<4xf32>
    %cst_31 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<3x3x1x4xf32>
    %108 = stablehlo.multiply %107, %arg7 : tensor<3x3x1x4xf32>
    %109 = stablehlo.add %103, %108 : tensor<3x3x1x4xf32>
    %cst_32 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %110 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %111 = stablehlo.multiply %110, %arg8 : tensor<8xf32>
    %112 = stablehlo.add %89, %111 : tensor<8xf32>
    %cst_33 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<3x3x4x8xf32>
    %114 = stablehlo.multiply %113, %arg9 : tensor<3x3x4x8xf32>
    %115 = stablehlo.add %90, %114 : tensor<3x3x4x8xf32>
    %cst_34 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %116 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %117 = stablehlo.multiply %116, %arg10 : tensor<10xf32>
    %118 = stablehlo.add %80, %117 : tensor<10xf32>
    %cst_35 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<128x10xf32>
    %120 = stablehlo.multiply %119, %arg11 : tensor<128x10xf32>
    %121 = stablehlo.add %82, %120 : tensor<128x10xf32>
    %cst_36 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %122 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %123 = stablehlo.multiply %122, %106 : tensor<4xf32>
    %cst_37 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<3x3x1x4xf32>
    %125 = stablehlo.multiply %124, %109 : tensor<3x3x1x4xf32>
    %cst_38 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %126 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %127 = stablehlo.multiply %126, %112 : tensor<8xf32>
    %cst_39 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<3x3x4x8xf32>
    %129 = stablehlo.multiply %128, %115 : tensor<3x3x4x8xf32>
    %cst_40 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %130 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %131 = stablehlo.multiply %130, %118 : tensor<10xf32>
    %cst_41 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<128x10xf32>
    %133 = stablehlo.multiply %132, %121 : tensor<128x10xf32>
    %134 = stablehlo.add %arg0, %123 : tensor<4xf32>
    %135 = stablehlo.add %arg1, %125 : tensor<3x3x1x4xf32>
    %136 = stablehlo.add %arg2, %127 : tensor<8xf32>
    %137 = stablehlo.add %arg3, %129 : tensor<3x3x4x8xf32>
    %138 = stablehlo.add %arg4, %131 : tensor<10xf32>
    %139 = stablehlo.add %arg5, %133 : tensor<128x10xf32>
    return %134, %135, %136, %137, %138, %139, %106, %109, %112, %115, %118, %121, %63 : tensor<4xf32>, tensor<3x3x1x4xf32>, tensor<8xf32>, tensor<3x3x4x8xf32>, tensor<10xf32>, tensor<128x10xf32>, tensor<4xf32>, tensor<3x3x1x4xf32>, tensor<8xf32>, tensor<3x3x4x8xf32>, tensor<10xf32>, tensor<128x10xf32>, tensor<f32>
  }
  func.func private @relu(%arg0: tensor<8x8x8x4xf32>) -> tensor<8x8x8x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8x8x4xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<8x8x8x4xf32>
    return %1 : tensor<8x8x8x4xf32>
  }
  func.func private @relu_0(%arg0: tensor<8x4x4x8xf32>) -> tensor<8x4x4x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4x4x8xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<8x4x4x8xf32>
    return %1 : tensor<8x4x4x8xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<8x10xf32>, %arg1: tensor<8x1xi32>) -> (tensor<8x1xf32>, tensor<8x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi1>
    %c_0 = stablehlo.constant dense<10> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<8x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<8x1xi1>, tensor<8x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<8x1xi32>) -> tensor<8x1x1xi32>
    %c_1 = stablehlo.constant dense<9> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<8x1x1xi32>, tensor<8x1x1xi32>) -> tensor<8x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<8x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<8x1x1xi32>, tensor<8x1x1xi32>) -> tensor<8x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<8x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<8x1x1xi1>, tensor<i1>) -> tensor<8x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<8x10xf32>, tensor<8x1x1xi32>) -> tensor<8x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<8x1xi1>, tensor<8x1xf32>
    return %15, %5 : tensor<8x1xf32>, tensor<8x1x1xi32>
  }
  func.func private @_take(%arg0: tensor<8x1xf32>, %arg1: tensor<i32>) -> (tensor<8xf32>, tensor<1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %2 = call @_where(%0, %1, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<1xi32>
    %4 = stablehlo.convert %3 : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %6 = stablehlo.compare GE, %4, %5, SIGNED : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %7 = stablehlo.compare LE, %4, %c_1, SIGNED : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %8 = stablehlo.and %6, %7 : tensor<1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %9 = stablehlo.reduce(%8 init: %c_3) applies stablehlo.and across dimensions = [0] : (tensor<1xi1>, tensor<i1>) -> tensor<i1>
    %10 = "stablehlo.gather"(%arg0, %4) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1]>, indices_are_sorted = false, slice_sizes = array<i64: 8, 1>}> : (tensor<8x1xf32>, tensor<1xi32>) -> tensor<8xf32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<8xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %13 = stablehlo.select %11, %10, %12 : tensor<8xi1>, tensor<8xf32>
    return %13, %3 : tensor<8xf32>, tensor<1xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_take_1(%arg0: tensor<1xi32>, %arg1: tensor<8xf32>) -> tensor<8x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x1xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x1xf32>, tensor<1xi32>, tensor<8xf32>) -> tensor<8x1xf32>
    return %1 : tensor<8x1xf32>
  }
  func.func private @take_along_axis_2(%arg0: tensor<8x1x1xi32>, %arg1: tensor<8x1xf32>) -> tensor<8x10xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x10xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x10xf32>, tensor<8x1x1xi32>, tensor<8x1xf32>) -> tensor<8x10xf32>
    return %1 : tensor<8x10xf32>
  }
}
