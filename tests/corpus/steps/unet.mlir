module @jit_flat attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<3x3x8x4xf32>, %arg2: tensor<4xf32>, %arg3: tensor<3x3x1x4xf32>, %arg4: tensor<8xf32>, %arg5: tensor<3x3x4x8xf32>, %arg6: tensor<1xf32>, %arg7: tensor<1x1x8x1xf32>, %arg8: tensor<8xf32>, %arg9: tensor<8xf32>, %arg10: tensor<i32>, %arg11: tensor<4xf32>, %arg12: tensor<3x3x8x4xf32>, %arg13: tensor<4xf32>, %arg14: tensor<3x3x1x4xf32>, %arg15: tensor<8xf32>, %arg16: tensor<3x3x4x8xf32>, %arg17: tensor<1xf32>, %arg18: tensor<1x1x8x1xf32>, %arg19: tensor<8xf32>, %arg20: tensor<8xf32>, %arg21: tensor<4xf32>, %arg22: tensor<3x3x8x4xf32>, %arg23: tensor<4xf32>, %arg24: tensor<3x3x1x4xf32>, %arg25: tensor<8xf32>, %arg26: tensor<3x3x4x8xf32>, %arg27: tensor<1xf32>, %arg28: tensor<1x1x8x1xf32>, %arg29: tensor<8xf32>, %arg30: tensor<8xf32>, %arg31: tensor<8x8x8x1xf32>, %arg32: tensor<8x8x8x1xf32>) -> (tensor<4xf32> {jax.result_info = "result[0]"}, tensor<3x3x8x4xf32> {jax.result_info = "result[1]"}, tensor<4xf32> {jax.result_info = "result[2]"}, tensor<3x3x1x4xf32> {jax.result_info = "result[3]"}, tensor<8xf32> {jax.result_info = "result[4]"}, tensor<3x3x4x8xf32> {jax.result_info = "result[5]"}, tensor<1xf32> {jax.result_info = "result[6]"}, tensor<1x1x8x1xf32> {jax.result_info = "result[7]"}, tensor<8xf32> {jax.result_info = "result[8]"}, tensor<8xf32> {jax.result_info = "result[9]"}, tensor<i32> {jax.result_info = "result[10]"}, tensor<4xf32> {jax.result_info = "result[11]"}, tensor<3x3x8x4xf32> {jax.result_info = "result[12]"}, tensor<4xf32> {jax.result_info = "result[13]"}, tensor<3x3x1x4xf32> {jax.result_info = "result[14]"}, tensor<8xf32> {jax.result_info = "result[15]"}, tensor<3x3x4x8xf32> {jax.result_info = "result[16]"}, tensor<1xf32> {jax.result_info = "result[17]"}, tensor<1x1x8x1xf32> {jax.result_info = "result[18]"}, tensor<8xf32> {jax.result_info = "result[19]"}, tensor<8xf32> {jax.result_info = "result[20]"}, tensor<4xf32> {jax.result_info = "result[21]"}, tensor<3x3x8x4xf32> {jax.result_info = "result[22]"}, tensor<4xf32> {jax.result_info = "result[23]"}, tensor<3x3x1x4xf32> {jax.result_info = "result[24]"}, tensor<8xf32> {jax.result_info = "result[25]"}, tensor<3x3x4x8xf32> {jax.result_info = "result[26]"}, tensor<1xf32> {jax.result_info = "result[27]"}, tensor<1x1x8x1xf32> {jax.result_info = "result[28]"}, tensor<8xf32> {jax.result_info = "result[29]"}, tensor<8xf32> {jax.result_info = "result[30]"}, tensor<f32> {jax.result_info = "result[31]"}) {
    %0 = stablehlo.convolution(%arg31, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x8x1xf32>, tensor<3x3x1x4xf32>) -> tensor<8x8x8x4xf32>
    %1 = stablehlo.reshape %arg2 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<8x8x8x4xf32>
    %3 = stablehlo.add %0, %2 : tensor<8x8x8x4xf32>
    %4 = call @relu(%3) : (tensor<8x8x8x4xf32>) -> tensor<8x8x8x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8x8x4xf32>
    %6 = stablehlo.compare GT, %3, %5, FLOAT : (tensor<8x8x8x4xf32>, tensor<8x8x8x4xf32>) -> tensor<8x8x8x4xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x8x8x4xf32>
    %8 = stablehlo.convolution(%4, %arg5) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<8x4x4x8xf32>
    %9 = stablehlo.reshape %arg4 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<8x4x4x8xf32>
    %11 = stablehlo.add %8, %10 : tensor<8x4x4x8xf32>
    %12 = stablehlo.reshape %11 : (tensor<8x4x4x8xf32>) -> tensor<8x4x4x2x4xf32>
    %13 = chlo.square %12 : tensor<8x4x4x2x4xf32> -> tensor<8x4x4x2x4xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x4x4x2x4xf32>
    %15 = stablehlo.multiply %14, %12 : tensor<8x4x4x2x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.reduce(%12 init: %cst_2) applies stablehlo.add across dimensions = [1, 2, 4] : (tensor<8x4x4x2x4xf32>, tensor<f32>) -> tensor<8x2xf32>
    %cst_3 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
    %18 = stablehlo.divide %16, %17 : tensor<8x2xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.reduce(%13 init: %cst_4) applies stablehlo.add across dimensions = [1, 2, 4] : (tensor<8x4x4x2x4xf32>, tensor<f32>) -> tensor<8x2xf32>
    %cst_5 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
    %21 = stablehlo.divide %19, %20 : tensor<8x2xf32>
    %22 = chlo.square %18 : tensor<8x2xf32> -> tensor<8x2xf32>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
    %24 = stablehlo.multiply %23, %18 : tensor<8x2xf32>
    %25 = stablehlo.subtract %21, %22 : tensor<8x2xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
    %27 = stablehlo.maximum %26, %25 : tensor<8x2xf32>
    %28 = stablehlo.compare EQ, %25, %27, FLOAT : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xi1>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
    %31 = stablehlo.select %28, %29, %30 : tensor<8x2xi1>, tensor<8x2xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
    %33 = stablehlo.compare EQ, %32, %27, FLOAT : (tensor<8x2xf32>, tensor<8x2xf32>) -> tensor<8x2xi1>
    %cst_11 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
    %36 = stablehlo.select %33, %34, %35 : tensor<8x2xi1>, tensor<8x2xf32>
    %37 = stablehlo.divide %31, %36 : tensor<8x2xf32>
    %38 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<8x2xf32>) -> tensor<8x2x4xf32>
    %39 = stablehlo.reshape %38 : (tensor<8x2x4xf32>) -> tensor<8x8xf32>
    %40 = stablehlo.broadcast_in_dim %27, dims = [0, 1] : (tensor<8x2xf32>) -> tensor<8x2x4xf32>
    %41 = stablehlo.reshape %40 : (tensor<8x2x4xf32>) -> tensor<8x8xf32>
    %42 = stablehlo.broadcast_in_dim %39, dims = [0, 3] : (tensor<8x8xf32>) -> tensor<8x1x1x8xf32>
    %43 = stablehlo.broadcast_in_dim %41, dims = [0, 3] : (tensor<8x8xf32>) -> tensor<8x1x1x8xf32>
    %44 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2, 3] : (tensor<8x1x1x8xf32>) -> tensor<8x4x4x8xf32>
    %45 = stablehlo.subtract %11, %44 : tensor<8x4x4x8xf32>
    %cst_13 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8x1x1x8xf32>
    %47 = stablehlo.add %43, %46 : tensor<8x1x1x8xf32>
    %48 = stablehlo.rsqrt %47 : tensor<8x1x1x8xf32>
    %49 = stablehlo.divide %48, %47 : tensor<8x1x1x8xf32>
    %cst_14 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<8x1x1x8xf32>
    %51 = stablehlo.multiply %50, %49 : tensor<8x1x1x8xf32>
    %52 = stablehlo.reshape %arg9 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<8x1x1x8xf32>
    %54 = stablehlo.multiply %48, %53 : tensor<8x1x1x8xf32>
    %55 = stablehlo.broadcast_in_dim %54, dims = [0, 1, 2, 3] : (tensor<8x1x1x8xf32>) -> tensor<8x4x4x8xf32>
    %56 = stablehlo.multiply %45, %55 : tensor<8x4x4x8xf32>
    %57 = stablehlo.reshape %arg8 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %58 = stablehlo.broadcast_in_dim %57, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<8x4x4x8xf32>
    %59 = stablehlo.add %56, %58 : tensor<8x4x4x8xf32>
    %60 = call @relu_0(%59) : (tensor<8x4x4x8xf32>) -> tensor<8x4x4x8xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<8x4x4x8xf32>
    %62 = stablehlo.compare GT, %59, %61, FLOAT : (tensor<8x4x4x8xf32>, tensor<8x4x4x8xf32>) -> tensor<8x4x4x8xi1>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<8x4x4x8xf32>
    %64 = stablehlo.convolution(%60, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x4x4x8xf32>, tensor<3x3x8x4xf32>) -> tensor<8x8x8x4xf32>
    %65 = stablehlo.reshape %arg0 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %66 = stablehlo.broadcast_in_dim %65, dims = [0, 1, 2, 3] : (tensor<1x1x1x4xf32>) -> tensor<8x8x8x4xf32>
    %67 = stablehlo.add %64, %66 : tensor<8x8x8x4xf32>
    %68 = call @relu(%67) : (tensor<8x8x8x4xf32>) -> tensor<8x8x8x4xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<8x8x8x4xf32>
    %70 = stablehlo.compare GT, %67, %69, FLOAT : (tensor<8x8x8x4xf32>, tensor<8x8x8x4xf32>) -> tensor<8x8x8x4xi1>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<8x8x8x4xf32>
    %72 = stablehlo.concatenate %4, %68, dim = 3 : (tensor<8x8x8x4xf32>, tensor<8x8x8x4xf32>) -> tensor<8x8x8x8xf32>
    %73 = stablehlo.convolution(%72, %arg7) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x8x8xf32>, tensor<1x1x8x1xf32>) -> tensor<8x8x8x1xf32>
    %74 = stablehlo.reshape %arg6 : (tensor<1xf32>) -> tensor<1x1x1x1xf32>
    %75 = stablehlo.broadcast_in_dim %74, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xf32>) -> tensor<8x8x8x1xf32>
    %76 = stablehlo.add %73, %75 : tensor<8x8x8x1xf32>
    %77 = stablehlo.subtract %76, %arg32 : tensor<8x8x8x1xf32>
    %78 = stablehlo.multiply %77, %77 : tensor<8x8x8x1xf32>
    %cst_19 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<8x8x8x1xf32>
    %80 = stablehlo.multiply %79, %77 : tensor<8x8x8x1xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %81 = stablehlo.reduce(%78 init: %cst_20) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<8x8x8x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_21 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %82 = stablehlo.divide %81, %cst_21 : tensor<f32>
    %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_23 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %83 = stablehlo.divide %cst_22, %cst_23 : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [] : (tensor<f32>) -> tensor<8x8x8x1xf32>
    %85 = stablehlo.multiply %84, %80 : tensor<8x8x8x1xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %86 = stablehlo.reduce(%85 init: %cst_24) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x8x8x1xf32>, tensor<f32>) -> tensor<1xf32>
    %87 = stablehlo.reshape %86 : (tensor<1xf32>) -> tensor<1x1x1x1xf32>
    %88 = stablehlo.reshape %87 : (tensor<1x1x1x1xf32>) -> tensor<1xf32>
    %89 = stablehlo.convolution(%72, %85) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x8x8xf32>, tensor<8x8x8x1xf32>) -> tensor<1x1x8x1xf32>
    %90 = stablehlo.reverse %arg7, dims = [0, 1] : tensor<1x1x8x1xf32>
    %91 = stablehlo.convolution(%85, %90) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x8x1xf32>, tensor<1x1x8x1xf32>) -> tensor<8x8x8x8xf32>
    %92 = stablehlo.slice %91 [0:8, 0:8, 0:8, 0:4] : (tensor<8x8x8x8xf32>) -> tensor<8x8x8x4xf32>
    %93 = stablehlo.slice %91 [0:8, 0:8, 0:8, 4:8] : (tensor<8x8x8x8xf32>) -> tensor<8x8x8x4xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<8x8x8x4xf32>
    %95 = stablehlo.select %70, %93, %94 : tensor<8x8x8x4xi1>, tensor<8x8x8x4xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %96 = stablehlo.reduce(%95 init: %cst_26) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x8x8x4xf32>, tensor<f32>) -> tensor<4xf32>
    %97 = stablehlo.reshape %96 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %98 = stablehlo.reshape %97 : (tensor<1x1x1x4xf32>) -> tensor<4xf32>
    %99 = stablehlo.convolution(%60, %95) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x4x4x8xf32>, tensor<8x8x8x4xf32>) -> tensor<3x3x8x4xf32>
    %100 = stablehlo.reverse %arg1, dims = [0, 1] : tensor<3x3x8x4xf32>
    %101 = stablehlo.convolution(%95, %100) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x8x4xf32>, tensor<3x3x8x4xf32>) -> tensor<8x4x4x8xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<8x4x4x8xf32>
    %103 = stablehlo.select %62, %101, %102 : tensor<8x4x4x8xi1>, tensor<8x4x4x8xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %104 = stablehlo.reduce(%103 init: %cst_28) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %105 = stablehlo.reshape %104 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %106 = stablehlo.reshape %105 : (tensor<1x1x1x8xf32>) -> tensor<8xf32>
    %107 = stablehlo.multiply %45, %103 : tensor<8x4x4x8xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %108 = stablehlo.reduce(%107 init: %cst_29) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x4x4x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %109 = stablehlo.reshape %108 : (tensor<8x8xf32>) -> tensor<8x1x1x8xf32>
    %110 = stablehlo.broadcast_in_dim %54, dims = [0, 1, 2, 3] : (tensor<8x1x1x8xf32>) -> tensor<8x4x4x8xf32>
    %111 = stablehlo.multiply %103, %110 : tensor<8x4x4x8xf32>
    %112 = stablehlo.multiply %48, %109 : tensor<8x1x1x8xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %113 = stablehlo.reduce(%112 init: %cst_30) applies stablehlo.add across dimensions = [0] : (tensor<8x1x1x8xf32>, tensor<f32>) -> tensor<1x1x8xf32>
    %114 = stablehlo.reshape %113 : (tensor<1x1x8xf32>) -> tensor<1x1x1x8xf32>
    %115 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<8x1x1x8xf32>
    %116 = stablehlo.multiply %109, %115 : tensor<8x1x1x8xf32>
    %117 = stablehlo.reshape %114 : (tensor<1x1x1x8xf32>) -> tensor<8xf32>
    %118 = stablehlo.multiply %116, %51 : tensor<8x1x1x8xf32>
    %119 = stablehlo.negate %111 : tensor<8x4x4x8xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %120 = stablehlo.reduce(%119 init: %cst_31) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x4x4x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %121 = stablehlo.reshape %120 : (tensor<8x8xf32>) -> tensor<8x1x1x8xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %122 = stablehlo.reduce(%118 init: %cst_32) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x1x1x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %123 = stablehlo.reduce(%121 init: %cst_33) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x1x1x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %124 = stablehlo.reshape %122 : (tensor<8x8xf32>) -> tensor<8x2x4xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %125 = stablehlo.reduce(%124 init: %cst_34) applies stablehlo.add across dimensions = [2] : (tensor<8x2x4xf32>, tensor<f32>) -> tensor<8x2xf32>
    %126 = stablehlo.reshape %123 : (tensor<8x8xf32>) -> tensor<8x2x4xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %127 = stablehlo.reduce(%126 init: %cst_35) applies stablehlo.add across dimensions = [2] : (tensor<8x2x4xf32>, tensor<f32>) -> tensor<8x2xf32>
    %128 = stablehlo.multiply %125, %37 : tensor<8x2xf32>
    %129 = stablehlo.negate %128 : tensor<8x2xf32>
    %130 = stablehlo.multiply %129, %24 : tensor<8x2xf32>
    %131 = stablehlo.add %127, %130 : tensor<8x2xf32>
    %cst_36 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
    %133 = stablehlo.divide %128, %132 : tensor<8x2xf32>
    %134 = stablehlo.broadcast_in_dim %133, dims = [0, 3] : (tensor<8x2xf32>) -> tensor<8x4x4x2x4xf32>
    %cst_37 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %135 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
    %136 = stablehlo.divide %131, %135 : tensor<8x2xf32>
    %137 = stablehlo.broadcast_in_dim %136, dims = [0, 3] : (tensor<8x2xf32>) -> tensor<8x4x4x2x4xf32>
    %138 = stablehlo.multiply %134, %15 : tensor<8x4x4x2x4xf32>
    %139 = stablehlo.add %137, %138 : tensor<8x4x4x2x4xf32>
    %140 = stablehlo.reshape %139 : (tensor<8x4x4x2x4xf32>) -> tensor<8x4x4x8xf32>
    %141 = stablehlo.add %111, %140 : tensor<8x4x4x8xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %142 = stablehlo.reduce(%141 init: %cst_38) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x4x8xf32>, tensor<f32>) -> tensor<8xf32>
    %143 = stablehlo.reshape %142 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %144 = stablehlo.reshape %143 : (tensor<1x1x1x8xf32>) -> tensor<8xf32>
    %145 = stablehlo.convolution(%4, %141) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x8x4xf32>, tensor<8x4x4x8xf32>) -> tensor<3x3x4x8xf32>
    %146 = stablehlo.reverse %arg5, dims = [0, 1] : tensor<3x3x4x8xf32>
    %147 = stablehlo.convolution(%141, %146) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x4x4x8xf32>, tensor<3x3x4x8xf32>) -> tensor<8x8x8x4xf32>
    %148 = stablehlo.add %92, %147 : tensor<8x8x8x4xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %149 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<8x8x8x4xf32>
    %150 = stablehlo.select %6, %148, %149 : tensor<8x8x8x4xi1>, tensor<8x8x8x4xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %151 = stablehlo.reduce(%150 init: %cst_40) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x8x8x4xf32>, tensor<f32>) -> tensor<4xf32>
    %152 = stablehlo.reshape %151 : (tensor<4xf32>) -> tensor<1x1x1x4xf32>
    %153 = stablehlo.reshape %152 : (tensor<1x1x1x4xf32>) -> tensor<4xf32>
    %154 = stablehlo.convolution(%arg31, %150) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x8x8x1xf32>, tensor<8x8x8x4xf32>) -> tensor<3x3x1x4xf32>
    %cst_41 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %155 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %156 = stablehlo.multiply %155, %98 : tensor<4xf32>
    %cst_42 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %157 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %158 = stablehlo.multiply %157, %arg11 : tensor<4xf32>
    %159 = stablehlo.add %156, %158 : tensor<4xf32>
    %cst_43 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %160 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<3x3x8x4xf32>
    %161 = stablehlo.multiply %160, %99 : tensor<3x3x8x4xf32>
    %cst_44 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %162 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<3x3x8x4xf32>
    %163 = stablehlo.multiply %162, %arg12 : tensor<3x3x8x4xf32>
    %164 = stablehlo.add %161, %163 : tensor<3x3x8x4xf32>
    %cst_45 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %165 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %166 = stablehlo.multiply %165, %153 : tensor<4xf32>
    %cst_46 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %168 = stablehlo.multiply %167, %arg13 : tensor<4xf32>
    %169 = stablehlo.add %166, %168 : tensor<4xf32>
    %cst_47 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %170 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<3x3x1x4xf32>
    %171 = stablehlo.multiply %170, %154 : tensor<3x3x1x4xf32>
    %cst_48 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %172 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<3x3x1x4xf32>
    %173 = stablehlo.multiply %172, %arg14 : tensor<3x3x1x4xf32>
    %174 = stablehlo.add %171, %173 : tensor<3x3x1x4xf32>
    %cst_49 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %175 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %176 = stablehlo.multiply %175, %144 : tensor<8xf32>
    %cst_50 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %177 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %178 = stablehlo.multiply %177, %arg15 : tensor<8xf32>
    %179 = stablehlo.add %176, %178 : tensor<8xf32>
    %cst_51 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %180 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<3x3x4x8xf32>
    %181 = stablehlo.multiply %180, %145 : tensor<3x3x4x8xf32>
    %cst_52 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %182 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<3x3x4x8xf32>
    %183 = stablehlo.multiply %182, %arg16 : tensor<3x3x4x8xf32>
    %184 = stablehlo.add %181, %183 : tensor<3x3x4x8xf32>
    %cst_53 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %185 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %186 = stablehlo.multiply %185, %88 : tensor<1xf32>
    %cst_54 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %187 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %188 = stablehlo.multiply %187, %arg17 : tensor<1xf32>
    %189 = stablehlo.add %186, %188 : tensor<1xf32>
    %cst_55 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %190 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<1x1x8x1xf32>
    %191 = stablehlo.multiply %190, %89 : tensor<1x1x8x1xf32>
    %cst_56 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %192 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<1x1x8x1xf32>
    %193 = stablehlo.multiply %192, %arg18 : tensor<1x1x8x1xf32>
    %194 = stablehlo.add %191, %193 : tensor<1x1x8x1xf32>
    %cst_57 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %195 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %196 = stablehlo.multiply %195, %106 : tensor<8xf32>
    %cst_58 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %197 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %198 = stablehlo.multiply %197, %arg19 : tensor<8xf32>
    %199 = stablehlo.add %196, %198 : tensor<8xf32>
    %cst_59 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %200 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %201 = stablehlo.multiply %200, %117 : tensor<8xf32>
    %cst_60 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %202 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %203 = stablehlo.multiply %202, %arg20 : tensor<8xf32>
    %204 = stablehlo.add %201, %203 : tensor<8xf32>
    %205 = stablehlo.multiply %98, %98 : tensor<4xf32>
    %cst_61 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %206 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %207 = stablehlo.multiply %206, %205 : tensor<4xf32>
    %cst_62 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %208 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %209 = stablehlo.multiply %208, %arg21 : tensor<4xf32>
    %210 = stablehlo.add %207, %209 : tensor<4xf32>
    %211 = stablehlo.multiply %99, %99 : tensor<3x3x8x4xf32>
    %cst_63 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %212 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<3x3x8x4xf32>
    %213 = stablehlo.multiply %212, %211 : tensor<3x3x8x4xf32>
    %cst_64 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %214 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<3x3x8x4xf32>
    %215 = stablehlo.multiply %214, %arg22 : tensor<3x3x8x4xf32>
    %216 = stablehlo.add %213, %215 : tensor<3x3x8x4xf32>
    %217 = stablehlo.multiply %153, %153 : tensor<4xf32>
    %cst_65 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %218 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %219 = stablehlo.multiply %218, %217 : tensor<4xf32>
    %cst_66 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %220 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %221 = stablehlo.multiply %220, %arg23 : tensor<4xf32>
    %222 = stablehlo.add %219, %221 : tensor<4xf32>
    %223 = stablehlo.multiply %154, %154 : tensor<3x3x1x4xf32>
    %cst_67 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %224 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<3x3x1x4xf32>
    %225 = stablehlo.multiply %224, %223 : tensor<3x3x1x4xf32>
    %cst_68 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %226 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<3x3x1x4xf32>
    %227 = stablehlo.multiply %226, %arg24 : tensor<3x3x1x4xf32>
    %228 = stablehlo.add %225, %227 : tensor<3x3x1x4xf32>
    %229 = stablehlo.multiply %144, %144 : tensor<8xf32>
    %cst_69 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %230 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %231 = stablehlo.multiply %230, %229 : tensor<8xf32>
    %cst_70 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %232 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %233 = stablehlo.multiply %232, %arg25 : tensor<8xf32>
    %234 = stablehlo.add %231, %233 : tensor<8xf32>
    %235 = stablehlo.multiply %145, %145 : tensor<3x3x4x8xf32>
    %cst_71 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %236 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<3x3x4x8xf32>
    %237 = stablehlo.multiply %236, %235 : tensor<3x3x4x8xf32>
    %cst_72 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %238 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<3x3x4x8xf32>
    %239 = stablehlo.multiply %238, %arg26 : tensor<3x3x4x8xf32>
    %240 = stablehlo.add %237, %239 : tensor<3x3x4x8xf32>
    %241 = stablehlo.multiply %88, %88 : tensor<1xf32>
    %cst_73 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %242 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %243 = stablehlo.multiply %242, %241 : tensor<1xf32>
    %cst_74 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %244 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %245 = stablehlo.multiply %244, %arg27 : tensor<1xf32>
    %246 = stablehlo.add %243, %245 : tensor<1xf32>
    %247 = stablehlo.multiply %89, %89 : tensor<1x1x8x1xf32>
    %cst_75 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %248 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<1x1x8x1xf32>
    %249 = stablehlo.multiply %248, %247 : tensor<1x1x8x1xf32>
    %cst_76 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %250 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<1x1x8x1xf32>
    %251 = stablehlo.multiply %250, %arg28 : tensor<1x1x8x1xf32>
    %252 = stablehlo.add %249, %251 : tensor<1x1x8x1xf32>
    %253 = stablehlo.multiply %106, %106 : tensor<8xf32>
    %cst_77 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %254 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %255 = stablehlo.multiply %254, %253 : tensor<8xf32>
    %cst_78 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %256 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %257 = stablehlo.multiply %256, %arg29 : tensor<8xf32>
    %258 = stablehlo.add %255, %257 : tensor<8xf32>
    %259 = stablehlo.multiply %117, %117 : tensor<8xf32>
    %cst_79 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %260 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %261 = stablehlo.multiply %260, %259 : tensor<8xf32>
    %cst_80 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %262 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %263 = stablehlo.multiply %262, %arg30 : tensor<8xf32>
    %264 = stablehlo.add %261, %263 : tensor<8xf32>
    %c = stablehlo.constant dense<2147483647> : tensor<i32>
    %265 = stablehlo.compare LT, %arg10, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_81 = stablehlo.constant dense<1> : tensor<i32>
    %266 = stablehlo.add %arg10, %c_81 : tensor<i32>
    %c_82 = stablehlo.constant dense<2147483647> : tensor<i32>
    %267 = call @_where(%265, %266, %c_82) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %268 = stablehlo.convert %267 : (tensor<i32>) -> tensor<f32>
    %cst_83 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %269 = stablehlo.convert %267 : (tensor<i32>) -> tensor<f32>
    %270 = stablehlo.power %cst_83, %269 : tensor<f32>
    %cst_84 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %271 = stablehlo.subtract %cst_84, %270 : tensor<f32>
    %272 = stablehlo.broadcast_in_dim %271, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %273 = stablehlo.divide %159, %272 : tensor<4xf32>
    %274 = stablehlo.broadcast_in_dim %271, dims = [] : (tensor<f32>) -> tensor<3x3x8x4xf32>
    %275 = stablehlo.divide %164, %274 : tensor<3x3x8x4xf32>
    %276 = stablehlo.broadcast_in_dim %271, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %277 = stablehlo.divide %169, %276 : tensor<4xf32>
    %278 = stablehlo.broadcast_in_dim %271, dims = [] : (tensor<f32>) -> tensor<3x3x1x4xf32>
    %279 = stablehlo.divide %174, %278 : tensor<3x3x1x4xf32>
    %280 = stablehlo.broadcast_in_dim %271, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %281 = stablehlo.divide %179, %280 : tensor<8xf32>
    %282 = stablehlo.broadcast_in_dim %271, dims = [] : (tensor<f32>) -> tensor<3x3x4x8xf32>
    %283 = stablehlo.divide %184, %282 : tensor<3x3x4x8xf32>
    %284 = stablehlo.broadcast_in_dim %271, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %285 = stablehlo.divide %189, %284 : tensor<1xf32>
    %286 = stablehlo.broadcast_in_dim %271, dims = [] : (tensor<f32>) -> tensor<1x1x8x1xf32>
    %287 = stablehlo.divide %194, %286 : tensor<1x1x8x1xf32>
    %288 = stablehlo.broadcast_in_dim %271, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %289 = stablehlo.divide %199, %288 : tensor<8xf32>
    %290 = stablehlo.broadcast_in_dim %271, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %291 = stablehlo.divide %204, %290 : tensor<8xf32>
    %292 = stablehlo.convert %267 : (tensor<i32>) -> tensor<f32>
    %cst_85 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %293 = stablehlo.convert %267 : (tensor<i32>) -> tensor<f32>
    %294 = stablehlo.power %cst_85, %293 : tensor<f32>
    %cst_86 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %295 = stablehlo.subtract %cst_86, %294 : tensor<f32>
    %296 = stablehlo.broadcast_in_dim %295, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %297 = stablehlo.divide %210, %296 : tensor<4xf32>
    %298 = stablehlo.broadcast_in_dim %295, dims = [] : (tensor<f32>) -> tensor<3x3x8x4xf32>
    %299 = stablehlo.divide %216, %298 : tensor<3x3x8x4xf32>
    %300 = stablehlo.broadcast_in_dim %295, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %301 = stablehlo.divide %222, %300 : tensor<4xf32>
    %302 = stablehlo.broadcast_in_dim %295, dims = [] : (tensor<f32>) -> tensor<3x3x1x4xf32>
    %303 = stablehlo.divide %228, %302 : tensor<3x3x1x4xf32>
    %304 = stablehlo.broadcast_in_dim %295, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %305 = stablehlo.divide %234, %304 : tensor<8xf32>
    %306 = stablehlo.broadcast_in_dim %295, dims = [] : (tensor<f32>) -> tensor<3x3x4x8xf32>
    %307 = stablehlo.divide %240, %306 : tensor<3x3x4x8xf32>
    %308 = stablehlo.broadcast_in_dim %295, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %309 = stablehlo.divide %246, %308 : tensor<1xf32>
    %310 = stablehlo.broadcast_in_dim %295, dims = [] : (tensor<f32>) -> tensor<1x1x8x1xf32>
    %311 = stablehlo.divide %252, %310 : tensor<1x1x8x1xf32>
    %312 = stablehlo.broadcast_in_dim %295, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %313 = stablehlo.divide %258, %312 : tensor<8xf32>
    %314 = stablehlo.broadcast_in_dim %295, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %315 = stablehlo.divide %264, %314 : tensor<8xf32>
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %316 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %317 = stablehlo.add %297, %316 : tensor<4xf32>
    %318 = stablehlo.sqrt %317 : tensor<4xf32>
    %cst_88 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %319 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %320 = stablehlo.add %318, %319 : tensor<4xf32>
    %321 = stablehlo.divide %273, %320 : tensor<4xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %322 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f32>) -> tensor<3x3x8x4xf32>
    %323 = stablehlo.add %299, %322 : tensor<3x3x8x4xf32>
    %324 = stablehlo.sqrt %323 : tensor<3x3x8x4xf32>
    %cst_90 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %325 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<3x3x8x4xf32>
    %326 = stablehlo.add %324, %325 : tensor<3x3x8x4xf32>
    %327 = stablehlo.divide %275, %326 : tensor<3x3x8x4xf32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %328 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %329 = stablehlo.add %301, %328 : tensor<4xf32>
    %330 = stablehlo.sqrt %329 : tensor<4xf32>
    %cst_92 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %331 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %332 = stablehlo.add %330, %331 : tensor<4xf32>
    %333 = stablehlo.divide %277, %332 : tensor<4xf32>
    %cst_93 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %334 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<3x3x1x4xf32>
    %335 = stablehlo.add %303, %334 : tensor<3x3x1x4xf32>
    %336 = stablehlo.sqrt %335 : tensor<3x3x1x4xf32>
    %cst_94 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %337 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<3x3x1x4xf32>
    %338 = stablehlo.add %336, %337 : tensor<3x3x1x4xf32>
    %339 = stablehlo.divide %279, %338 : tensor<3x3x1x4xf32>
    %cst_95 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %340 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %341 = stablehlo.add %305, %340 : tensor<8xf32>
    %342 = stablehlo.sqrt %341 : tensor<8xf32>
    %cst_96 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %343 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %344 = stablehlo.add %342, %343 : tensor<8xf32>
    %345 = stablehlo.divide %281, %344 : tensor<8xf32>
    %cst_97 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %346 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<3x3x4x8xf32>
    %347 = stablehlo.add %307, %346 : tensor<3x3x4x8xf32>
    %348 = stablehlo.sqrt %347 : tensor<3x3x4x8xf32>
    %cst_98 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %349 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<3x3x4x8xf32>
    %350 = stablehlo.add %348, %349 : tensor<3x3x4x8xf32>
    %351 = stablehlo.divide %283, %350 : tensor<3x3x4x8xf32>
    %cst_99 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %352 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %353 = stablehlo.add %309, %352 : tensor<1xf32>
    %354 = stablehlo.sqrt %353 : tensor<1xf32>
    %cst_100 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %355 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %356 = stablehlo.add %354, %355 : tensor<1xf32>
    %357 = stablehlo.divide %285, %356 : tensor<1xf32>
    %cst_101 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %358 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<1x1x8x1xf32>
    %359 = stablehlo.add %311, %358 : tensor<1x1x8x1xf32>
    %360 = stablehlo.sqrt %359 : tensor<1x1x8x1xf32>
    %cst_102 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %361 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<1x1x8x1xf32>
    %362 = stablehlo.add %360, %361 : tensor<1x1x8x1xf32>
    %363 = stablehlo.divide %287, %362 : tensor<1x1x8x1xf32>
    %cst_103 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %364 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %365 = stablehlo.add %313, %364 : tensor<8xf32>
    %366 = stablehlo.sqrt %365 : tensor<8xf32>
    %cst_104 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %367 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %368 = stablehlo.add %366, %367 : tensor<8xf32>
    %369 = stablehlo.divide %289, %368 : tensor<8xf32>
    %cst_105 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %370 = stablehlo.broadcast_in_dim %cst_105, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %371 = stablehlo.add %315, %370 : tensor<8xf32>
    %372 = stablehlo.sqrt %371 : tensor<8xf32>
    %cst_106 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %373 = stablehlo.broadcast_in_dim %cst_106, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %374 = stablehlo.add %372, %373 : tensor<8xf32>
    %375 = stablehlo.divide %291, %374 : tensor<8xf32>
    %cst_107 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %376 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %377 = stablehlo.multiply %376, %arg0 : tensor<4xf32>
    %378 = stablehlo.add %321, %377 : tensor<4xf32>
    %cst_108 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %379 = stablehlo.broadcast_in_dim %cst_108, dims = [] : (tensor<f32>) -> tensor<3x3x8x4xf32>
    %380 = stablehlo.multiply %379, %arg1 : tensor<3x3x8x4xf32>
    %381 = stablehlo.add %327, %380 : tensor<3x3x8x4xf32>
    %cst_109 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %382 = stablehlo.broadcast_in_dim %cst_109, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %383 = stablehlo.multiply %382, %arg2 : tensor<4xf32>
    %384 = stablehlo.add %333, %383 : tensor<4xf32>
    %cst_110 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %385 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f32>) -> tensor<3x3x1x4xf32>
    %386 = stablehlo.multiply %385, %arg3 : tensor<3x3x1x4xf32>
    %387 = stablehlo.add %339, %386 : tensor<3x3x1x4xf32>
    %cst_111 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %388 = stablehlo.broadcast_in_dim %cst_111, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %389 = stablehlo.multiply %388, %arg4 : tensor<8xf32>
    %390 = stablehlo.add %345, %389 : tensor<8xf32>
    %cst_112 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %391 = stablehlo.broadcast_in_dim %cst_112, dims = [] : (tensor<f32>) -> tensor<3x3x4x8xf32>
    %392 = stablehlo.multiply %391, %arg5 : tensor<3x3x4x8xf32>
    %393 = stablehlo.add %351, %392 : tensor<3x3x4x8xf32>
    %cst_113 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %394 = stablehlo.broadcast_in_dim %cst_113, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %395 = stablehlo.multiply %394, %arg6 : tensor<1xf32>
    %396 = stablehlo.add %357, %395 : tensor<1xf32>
    %cst_114 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %397 = stablehlo.broadcast_in_dim %cst_114, dims = [] : (tensor<f32>) -> tensor<1x1x8x1xf32>
    %398 = stablehlo.multiply %397, %arg7 : tensor<1x1x8x1xf32>
    %399 = stablehlo.add %363, %398 : tensor<1x1x8x1xf32>
    %cst_115 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %400 = stablehlo.broadcast_in_dim %cst_115, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %401 = stablehlo.multiply %400, %arg8 : tensor<8xf32>
    %402 = stablehlo.add %369, %401 : tensor<8xf32>
    %cst_116 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %403 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %404 = stablehlo.multiply %403, %arg9 : tensor<8xf32>
    %405 = stablehlo.add %375, %404 : tensor<8xf32>
    %cst_117 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %406 = stablehlo.broadcast_in_dim %cst_117, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %407 = stablehlo.multiply %406, %378 : tensor<4xf32>
    %cst_118 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %408 = stablehlo.broadcast_in_dim %cst_118, dims = [] : (tensor<f32>) -> tensor<3x3x8x4xf32>
    %409 = stablehlo.multiply %408, %381 : tensor<3x3x8x4xf32>
    %cst_119 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %410 = stablehlo.broadcast_in_dim %cst_119, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %411 = stablehlo.multiply %410, %384 : tensor<4xf32>
    %cst_120 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %412 = stablehlo.broadcast_in_dim %cst_120, dims = [] : (tensor<f32>) -> tensor<3x3x1x4xf32>
    %413 = stablehlo.multiply %412, %387 : tensor<3x3x1x4xf32>
    %cst_121 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %414 = stablehlo.broadcast_in_dim %cst_121, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %415 = stablehlo.multiply %414, %390 : tensor<8xf32>
    %cst_122 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %416 = stablehlo.broadcast_in_dim %cst_122, dims = [] : (tensor<f32>) -> tensor<3x3x4x8xf32>
    %417 = stablehlo.multiply %416, %393 : tensor<3x3x4x8xf32>
    %cst_123 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %418 = stablehlo.broadcast_in_dim %cst_123, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %419 = stablehlo.multiply %418, %396 : tensor<1xf32>
    %cst_124 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %420 = stablehlo.broadcast_in_dim %cst_124, dims = [] : (tensor<f32>) -> tensor<1x1x8x1xf32>
    %421 = stablehlo.multiply %420, %399 : tensor<1x1x8x1xf32>
    %cst_125 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %422 = stablehlo.broadcast_in_dim %cst_125, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %423 = stablehlo.multiply %422, %402 : tensor<8xf32>
    %cst_126 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %424 = stablehlo.broadcast_in_dim %cst_126, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %425 = stablehlo.multiply %424, %405 : tensor<8xf32>
    %426 = stablehlo.add %arg0, %407 : tensor<4xf32>
    %427 = stablehlo.add %arg1, %409 : tensor<3x3x8x4xf32>
    %428 = stablehlo.add %arg2, %411 : tensor<4xf32>
    %429 = stablehlo.add %arg3, %413 : tensor<3x3x1x4xf32>
    %430 = stablehlo.add %arg4, %415 : tensor<8xf32>
    %431 = stablehlo.add %arg5, %417 : tensor<3x3x4x8xf32>
    %432 = stablehlo.add %arg6, %419 : tensor<1xf32>
    %433 = stablehlo.add %arg7, %421 : tensor<1x1x8x1xf32>
    %434 = stablehlo.add %arg8, %423 : tensor<8xf32>
    %435 = stablehlo.add %arg9, %425 : tensor<8xf32>
    return %426, %427, %428, %429, %430, %431, %432, %433, %434, %435, %267, %159, %164, %169, %174, %179, %184, %189, %194, %199, %204, %210, %216, %222, %228, %234, %240, %246, %252, %258, %264, %82 : tensor<4xf32>, tensor<3x3x8x4xf32>, tensor<4xf32>, tensor<3x3x1x4xf32>, tensor<8xf32>, tensor<3x3x4x8xf32>, tensor<1xf32>, tensor<1x1x8x1xf32>, tensor<8xf32>, tensor<8xf32>, tensor<i32>, tensor<4xf32>, tensor<3x3x8x4xf32>, tensor<4xf32>, tensor<3x3x1x4xf32>, tensor<8xf32>, tensor<3x3x4x8xf32>, tensor<1xf32>, tensor<1x1x8x1xf32>, tensor<8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<3x3x8x4xf32>, tensor<4xf32>, tensor<3x3x1x4xf32>, tensor<8xf32>, tensor<3x3x4x8xf32>, tensor<1xf32>, tensor<1x1x8x1xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>
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
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
