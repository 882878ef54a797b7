module @jit_flat attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16xf32>, %arg1: tensor<32x16xf32>, %arg2: tensor<32xf32>, %arg3: tensor<16x32xf32>, %arg4: tensor<16xf32>, %arg5: tensor<16xf32>, %arg6: tensor<16xf32>, %arg7: tensor<16xf32>, %arg8: tensor<2x8xf32>, %arg9: tensor<16x2x8xf32>, %arg10: tensor<16xf32>, %arg11: tensor<2x8x16xf32>, %arg12: tensor<2x8xf32>, %arg13: tensor<16x2x8xf32>, %arg14: tensor<2x8xf32>, %arg15: tensor<16x2x8xf32>, %arg16: tensor<32xf32>, %arg17: tensor<16x32xf32>, %arg18: tensor<32x16xf32>, %arg19: tensor<16xf32>, %arg20: tensor<16xf32>, %arg21: tensor<8x16xf32>, %arg22: tensor<i32>, %arg23: tensor<16xf32>, %arg24: tensor<32x16xf32>, %arg25: tensor<32xf32>, %arg26: tensor<16x32xf32>, %arg27: tensor<16xf32>, %arg28: tensor<16xf32>, %arg29: tensor<16xf32>, %arg30: tensor<16xf32>, %arg31: tensor<2x8xf32>, %arg32: tensor<16x2x8xf32>, %arg33: tensor<16xf32>, %arg34: tensor<2x8x16xf32>, %arg35: tensor<2x8xf32>, %arg36: tensor<16x2x8xf32>, %arg37: tensor<2x8xf32>, %arg38: tensor<16x2x8xf32>, %arg39: tensor<32xf32>, %arg40: tensor<16x32xf32>, %arg41: tensor<32x16xf32>, %arg42: tensor<16xf32>, %arg43: tensor<16xf32>, %arg44: tensor<8x16xf32>, %arg45: tensor<16xf32>, %arg46: tensor<32x16xf32>, %arg47: tensor<32xf32>, %arg48: tensor<16x32xf32>, %arg49: tensor<16xf32>, %arg50: tensor<16xf32>, %arg51: tensor<16xf32>, %arg52: tensor<16xf32>, %arg53: tensor<2x8xf32>, %arg54: tensor<16x2x8xf32>, %arg55: tensor<16xf32>, %arg56: tensor<2x8x16xf32>, %arg57: tensor<2x8xf32>, %arg58: tensor<16x2x8xf32>, %arg59: tensor<2x8xf32>, %arg60: tensor<16x2x8xf32>, %arg61: tensor<32xf32>, %arg62: tensor<16x32xf32>, %arg63: tensor<32x16xf32>, %arg64: tensor<16xf32>, %arg65: tensor<16xf32>, %arg66: tensor<8x16xf32>, %arg67: tensor<8x8xi32>, %arg68: tensor<8x8xi32>) -> (tensor<16xf32> {jax.result_info = "result[0]"}, tensor<32x16xf32> {jax.result_info = "result[1]"}, tensor<32xf32> {jax.result_info = "result[2]"}, tensor<16x32xf32> {jax.result_info = "result[3]"}, tensor<16xf32> {jax.result_info = "result[4]"}, tensor<16xf32> {jax.result_info = "result[5]"}, tensor<16xf32> {jax.result_info = "result[6]"}, tensor<16xf32> {jax.result_info = "result[7]"}, tensor<2x8xf32> {jax.result_info = "result[8]"}, tensor<16x2x8xf32> {jax.result_info = "result[9]"}, tensor<16xf32> {jax.result_info = "result[10]"}, tensor<2x8x16xf32> {jax.result_info = "result[11]"}, tensor<2x8xf32> {jax.result_info = "result[12]"}, tensor<16x2x8xf32> {jax.result_info = "result[13]"}, tensor<2x8xf32> {jax.result_info = "result[14]"}, tensor<16x2x8xf32> {jax.result_info = "result[15]"}, tensor<32xf32> {jax.result_info = "result[16]"}, tensor<16x32xf32> {jax.result_info = "result[17]"}, tensor<32x16xf32> {jax.result_info = "result[18]"}, tensor<16xf32> {jax.result_info = "result[19]"}, tensor<16xf32> {jax.result_info = "result[20]"}, tensor<8x16xf32> {jax.result_info = "result[21]"}, tensor<i32> {jax.result_info = "result[22]"}, tensor<16xf32> {jax.result_info = "result[23]"}, tensor<32x16xf32> {jax.result_info = "result[24]"}, tensor<32xf32> {jax.result_info = "result[25]"}, tensor<16x32xf32> {jax.result_info = "result[26]"}, tensor<16xf32> {jax.result_info = "result[27]"}, tensor<16xf32> {jax.result_info = "result[28]"}, tensor<16xf32> {jax.result_info = "result[29]"}, tensor<16xf32> {jax.result_info = "result[30]"}, tensor<2x8xf32> {jax.result_info = "result[31]"}, tensor<16x2x8xf32> {jax.result_info = "result[32]"}, tensor<16xf32> {jax.result_info = "result[33]"}, tensor<2x8x16xf32> {jax.result_info = "result[34]"}, tensor<2x8xf32> {jax.result_info = "result[35]"}, tensor<16x2x8xf32> {jax.result_info = "result[36]"}, tensor<2x8xf32> {jax.result_info = "result[37]"}, tensor<16x2x8xf32> {jax.result_info = "result[38]"}, tensor<32xf32> {jax.result_info = "result[39]"}, tensor<16x32xf32> {jax.result_info = "result[40]"}, tensor<32x16xf32> {jax.result_info = "result[41]"}, tensor<16xf32> {jax.result_info = "result[42]"}, tensor<16xf32> {jax.result_info = "result[43]"}, tensor<8x16xf32> {jax.result_info = "result[44]"}, tensor<16xf32> {jax.result_info = "result[45]"}, tensor<32x16xf32> {jax.result_info = "result[46]"}, tensor<32xf32> {jax.result_info = "result[47]"}, tensor<16x32xf32> {jax.result_info = "result[48]"}, tensor<16xf32> {jax.result_info = "result[49]"}, tensor<16xf32> {jax.result_info = "result[50]"}, tensor<16xf32> {jax.result_info = "result[51]"}, tensor<16xf32> {jax.result_info = "result[52]"}, tensor<2x8xf32> {jax.result_info = "result[53]"}, tensor<16x2x8xf32> {jax.result_info = "result[54]"}, tensor<16xf32> {jax.result_info = "result[55]"}, tensor<2x8x16xf32> {jax.result_info = "result[56]"}, tensor<2x8xf32> {jax.result_info = "result[57]"}, tensor<16x2x8xf32> {jax.result_info = "result[58]"}, tensor<2x8xf32> {jax.result_info = "result[59]"}, tensor<16x2x8xf32> {jax.result_info = "result[60]"}, tensor<32xf32> {jax.result_info = "result[61]"}, tensor<16x32xf32> {jax.result_info = "result[62]"}, tensor<32x16xf32> {jax.result_info = "result[63]"}, tensor<16xf32> {jax.result_info = "result[64]"}, tensor<16xf32> {jax.result_info = "result[65]"}, tensor<8x16xf32> {jax.result_info = "result[66]"}, tensor<f32> {jax.result_info = "result[67]"}) {
    %0:2 = call @_take(%arg18, %arg67) : (tensor<32x16xf32>, tensor<8x8xi32>) -> (tensor<8x8x16xf32>, tensor<8x8x1xi32>)
    %1 = stablehlo.broadcast_in_dim %arg21, dims = [1, 2] : (tensor<8x16xf32>) -> tensor<1x8x16xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x8x16xf32>) -> tensor<8x8x16xf32>
    %3 = stablehlo.add %0#0, %2 : tensor<8x8x16xf32>
    %4 = chlo.square %3 : tensor<8x8x16xf32> -> tensor<8x8x16xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8x16xf32>
    %6 = stablehlo.multiply %5, %3 : tensor<8x8x16xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<8x8xf32>
    %cst_1 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %9 = stablehlo.divide %7, %8 : tensor<8x8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<8x8xf32>
    %cst_3 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %12 = stablehlo.divide %10, %11 : tensor<8x8xf32>
    %13 = chlo.square %9 : tensor<8x8xf32> -> tensor<8x8xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %15 = stablehlo.multiply %14, %9 : tensor<8x8xf32>
    %16 = stablehlo.subtract %12, %13 : tensor<8x8xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %18 = stablehlo.maximum %17, %16 : tensor<8x8xf32>
    %19 = stablehlo.compare EQ, %16, %18, FLOAT : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %22 = stablehlo.select %19, %20, %21 : tensor<8x8xi1>, tensor<8x8xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %24 = stablehlo.compare EQ, %23, %18, FLOAT : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
    %cst_9 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %27 = stablehlo.select %24, %25, %26 : tensor<8x8xi1>, tensor<8x8xf32>
    %28 = stablehlo.divide %22, %27 : tensor<8x8xf32>
    %29 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %30 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %31 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x16xf32>
    %32 = stablehlo.subtract %3, %31 : tensor<8x8x16xf32>
    %cst_11 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %34 = stablehlo.add %30, %33 : tensor<8x8x1xf32>
    %35 = stablehlo.rsqrt %34 : tensor<8x8x1xf32>
    %36 = stablehlo.divide %35, %34 : tensor<8x8x1xf32>
    %cst_12 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %38 = stablehlo.multiply %37, %36 : tensor<8x8x1xf32>
    %39 = stablehlo.reshape %arg5 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %40 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x16xf32>
    %41 = stablehlo.broadcast_in_dim %39, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<8x8x16xf32>
    %42 = stablehlo.multiply %40, %41 : tensor<8x8x16xf32>
    %43 = stablehlo.multiply %32, %42 : tensor<8x8x16xf32>
    %44 = stablehlo.reshape %arg4 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<8x8x16xf32>
    %46 = stablehlo.add %43, %45 : tensor<8x8x16xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %48 = stablehlo.iota dim = 0 : tensor<8xi32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [1] : (tensor<8xi32>) -> tensor<8x8xi32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0, 1] : (tensor<8x8xi32>) -> tensor<8x8x1xi32>
    %51 = stablehlo.broadcast_in_dim %49, dims = [0, 2] : (tensor<8x8xi32>) -> tensor<8x1x8xi32>
    %52 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2] : (tensor<8x8x1xi32>) -> tensor<8x8x8xi32>
    %53 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2] : (tensor<8x1x8xi32>) -> tensor<8x8x8xi32>
    %54 = stablehlo.compare GE, %52, %53, SIGNED : (tensor<8x8x8xi32>, tensor<8x8x8xi32>) -> tensor<8x8x8xi1>
    %55 = stablehlo.broadcast_in_dim %54, dims = [0, 2, 3] : (tensor<8x8x8xi1>) -> tensor<8x1x8x8xi1>
    %56 = stablehlo.convert %55 : (tensor<8x1x8x8xi1>) -> tensor<8x1x8x8xf32>
    %57 = stablehlo.dot_general %46, %arg13, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<16x2x8xf32>) -> tensor<8x8x2x8xf32>
    %58 = stablehlo.reshape %arg12 : (tensor<2x8xf32>) -> tensor<1x1x2x8xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1, 2, 3] : (tensor<1x1x2x8xf32>) -> tensor<8x8x2x8xf32>
    %60 = stablehlo.add %57, %59 : tensor<8x8x2x8xf32>
    %61 = stablehlo.dot_general %46, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<16x2x8xf32>) -> tensor<8x8x2x8xf32>
    %62 = stablehlo.reshape %arg8 : (tensor<2x8xf32>) -> tensor<1x1x2x8xf32>
    %63 = stablehlo.broadcast_in_dim %62, dims = [0, 1, 2, 3] : (tensor<1x1x2x8xf32>) -> tensor<8x8x2x8xf32>
    %64 = stablehlo.add %61, %63 : tensor<8x8x2x8xf32>
    %65 = stablehlo.dot_general %46, %arg15, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<16x2x8xf32>) -> tensor<8x8x2x8xf32>
    %66 = stablehlo.reshape %arg14 : (tensor<2x8xf32>) -> tensor<1x1x2x8xf32>
    %67 = stablehlo.broadcast_in_dim %66, dims = [0, 1, 2, 3] : (tensor<1x1x2x8xf32>) -> tensor<8x8x2x8xf32>
    %68 = stablehlo.add %65, %67 : tensor<8x8x2x8xf32>
    %cst_14 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %69 = stablehlo.sqrt %cst_14 : tensor<f32>
    %70 = stablehlo.convert %69 : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %70, dims = [] : (tensor<f32>) -> tensor<8x8x2x8xf32>
    %72 = stablehlo.divide %60, %71 : tensor<8x8x2x8xf32>
    %73 = stablehlo.dot_general %72, %64, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x8x2x8xf32>, tensor<8x8x2x8xf32>) -> tensor<8x2x8x8xf32>
    %cst_15 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %74:3 = call @_where_0(%56, %73, %cst_15) : (tensor<8x1x8x8xf32>, tensor<8x2x8x8xf32>, tensor<f32>) -> (tensor<8x2x8x8xf32>, tensor<8x2x8x8xi1>, tensor<8x2x8x8xf32>)
    %cst_16 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %75 = stablehlo.reduce(%74#0 init: %cst_16) applies stablehlo.maximum across dimensions = [3] : (tensor<8x2x8x8xf32>, tensor<f32>) -> tensor<8x2x8xf32>
    %76 = stablehlo.reshape %75 : (tensor<8x2x8xf32>) -> tensor<8x2x8x1xf32>
    %77 = stablehlo.broadcast_in_dim %76, dims = [0, 1, 2, 3] : (tensor<8x2x8x1xf32>) -> tensor<8x2x8x8xf32>
    %78 = stablehlo.compare EQ, %74#0, %77, FLOAT : (tensor<8x2x8x8xf32>, tensor<8x2x8x8xf32>) -> tensor<8x2x8x8xi1>
    %79 = stablehlo.convert %78 : (tensor<8x2x8x8xi1>) -> tensor<8x2x8x8xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %80 = stablehlo.reduce(%79 init: %cst_17) applies stablehlo.add across dimensions = [3] : (tensor<8x2x8x8xf32>, tensor<f32>) -> tensor<8x2x8xf32>
    %cst_18 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<8x2x8xf32>
    %82 = stablehlo.maximum %81, %75 : tensor<8x2x8xf32>
    %83 = stablehlo.compare EQ, %75, %82, FLOAT : (tensor<8x2x8xf32>, tensor<8x2x8xf32>) -> tensor<8x2x8xi1>
    %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<8x2x8xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<8x2x8xf32>
    %86 = stablehlo.select %83, %84, %85 : tensor<8x2x8xi1>, tensor<8x2x8xf32>
    %cst_21 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<8x2x8xf32>
    %88 = stablehlo.compare EQ, %87, %82, FLOAT : (tensor<8x2x8xf32>, tensor<8x2x8xf32>) -> tensor<8x2x8xi1>
    %cst_22 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<8x2x8xf32>
    %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<8x2x8xf32>
    %91 = stablehlo.select %88, %89, %90 : tensor<8x2x8xi1>, tensor<8x2x8xf32>
    %92 = stablehlo.divide %86, %91 : tensor<8x2x8xf32>
    %93 = stablehlo.broadcast_in_dim %82, dims = [0, 1, 2] : (tensor<8x2x8xf32>) -> tensor<8x2x8x1xf32>
    %94 = stablehlo.broadcast_in_dim %93, dims = [0, 1, 2, 3] : (tensor<8x2x8x1xf32>) -> tensor<8x2x8x8xf32>
    %95 = stablehlo.subtract %74#0, %94 : tensor<8x2x8x8xf32>
    %96 = stablehlo.exponential %95 : tensor<8x2x8x8xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %97 = stablehlo.reduce(%96 init: %cst_24) applies stablehlo.add across dimensions = [3] : (tensor<8x2x8x8xf32>, tensor<f32>) -> tensor<8x2x8xf32>
    %98 = stablehlo.broadcast_in_dim %97, dims = [0, 1, 2] : (tensor<8x2x8xf32>) -> tensor<8x2x8x1xf32>
    %99 = stablehlo.broadcast_in_dim %98, dims = [0, 1, 2, 3] : (tensor<8x2x8x1xf32>) -> tensor<8x2x8x8xf32>
    %100 = stablehlo.divide %96, %99 : tensor<8x2x8x8xf32>
    %101 = stablehlo.multiply %98, %98 : tensor<8x2x8x1xf32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<8x2x8x1xf32>
    %103 = stablehlo.divide %102, %101 : tensor<8x2x8x1xf32>
    %104 = stablehlo.dot_general %68, %100, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x8x2x8xf32>, tensor<8x2x8x8xf32>) -> tensor<8x2x8x8xf32>
    %105 = stablehlo.transpose %104, dims = [0, 3, 1, 2] : (tensor<8x2x8x8xf32>) -> tensor<8x8x2x8xf32>
    %106 = stablehlo.dot_general %105, %arg11, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x2x8xf32>, tensor<2x8x16xf32>) -> tensor<8x8x16xf32>
    %107 = stablehlo.reshape %arg10 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %108 = stablehlo.broadcast_in_dim %107, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<8x8x16xf32>
    %109 = stablehlo.add %106, %108 : tensor<8x8x16xf32>
    %110 = stablehlo.add %3, %109 : tensor<8x8x16xf32>
    %111 = chlo.square %110 : tensor<8x8x16xf32> -> tensor<8x8x16xf32>
    %cst_26 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<8x8x16xf32>
    %113 = stablehlo.multiply %112, %110 : tensor<8x8x16xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %114 = stablehlo.reduce(%110 init: %cst_27) applies stablehlo.add across dimensions = [2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<8x8xf32>
    %cst_28 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %115 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %116 = stablehlo.divide %114, %115 : tensor<8x8xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %117 = stablehlo.reduce(%111 init: %cst_29) applies stablehlo.add across dimensions = [2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<8x8xf32>
    %cst_30 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %118 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %119 = stablehlo.divide %117, %118 : tensor<8x8xf32>
    %120 = chlo.square %116 : tensor<8x8xf32> -> tensor<8x8xf32>
    %cst_31 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %121 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %122 = stablehlo.multiply %121, %116 : tensor<8x8xf32>
    %123 = stablehlo.subtract %119, %120 : tensor<8x8xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %125 = stablehlo.maximum %124, %123 : tensor<8x8xf32>
    %126 = stablehlo.compare EQ, %123, %125, FLOAT : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
    %cst_33 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %127 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %129 = stablehlo.select %126, %127, %128 : tensor<8x8xi1>, tensor<8x8xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %130 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %131 = stablehlo.compare EQ, %130, %125, FLOAT : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
    %cst_36 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %cst_37 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %134 = stablehlo.select %131, %132, %133 : tensor<8x8xi1>, tensor<8x8xf32>
    %135 = stablehlo.divide %129, %134 : tensor<8x8xf32>
    %136 = stablehlo.broadcast_in_dim %116, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %137 = stablehlo.broadcast_in_dim %125, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %138 = stablehlo.broadcast_in_dim %136, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x16xf32>
    %139 = stablehlo.subtract %110, %138 : tensor<8x8x16xf32>
    %cst_38 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %141 = stablehlo.add %137, %140 : tensor<8x8x1xf32>
    %142 = stablehlo.rsqrt %141 : tensor<8x8x1xf32>
    %143 = stablehlo.divide %142, %141 : tensor<8x8x1xf32>
    %cst_39 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %144 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %145 = stablehlo.multiply %144, %143 : tensor<8x8x1xf32>
    %146 = stablehlo.reshape %arg7 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %147 = stablehlo.broadcast_in_dim %142, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x16xf32>
    %148 = stablehlo.broadcast_in_dim %146, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<8x8x16xf32>
    %149 = stablehlo.multiply %147, %148 : tensor<8x8x16xf32>
    %150 = stablehlo.multiply %139, %149 : tensor<8x8x16xf32>
    %151 = stablehlo.reshape %arg6 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %152 = stablehlo.broadcast_in_dim %151, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<8x8x16xf32>
    %153 = stablehlo.add %150, %152 : tensor<8x8x16xf32>
    %154 = stablehlo.dot_general %153, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<16x32xf32>) -> tensor<8x8x32xf32>
    %155 = stablehlo.reshape %arg2 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %156 = stablehlo.broadcast_in_dim %155, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x8x32xf32>
    %157 = stablehlo.add %154, %156 : tensor<8x8x32xf32>
    %158 = stablehlo.multiply %157, %157 : tensor<8x8x32xf32>
    %159 = stablehlo.multiply %158, %157 : tensor<8x8x32xf32>
    %160 = stablehlo.multiply %157, %157 : tensor<8x8x32xf32>
    %cst_40 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %161 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<8x8x32xf32>
    %162 = stablehlo.multiply %161, %160 : tensor<8x8x32xf32>
    %cst_41 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %163 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<8x8x32xf32>
    %164 = stablehlo.multiply %163, %159 : tensor<8x8x32xf32>
    %165 = stablehlo.add %157, %164 : tensor<8x8x32xf32>
    %cst_42 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %166 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<8x8x32xf32>
    %167 = stablehlo.multiply %166, %165 : tensor<8x8x32xf32>
    %168 = stablehlo.tanh %167 : tensor<8x8x32xf32>
    %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %169 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<8x8x32xf32>
    %170 = stablehlo.subtract %169, %168 : tensor<8x8x32xf32>
    %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %171 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<8x8x32xf32>
    %172 = stablehlo.add %171, %168 : tensor<8x8x32xf32>
    %cst_45 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %173 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<8x8x32xf32>
    %174 = stablehlo.multiply %173, %172 : tensor<8x8x32xf32>
    %175 = stablehlo.multiply %157, %174 : tensor<8x8x32xf32>
    %176 = stablehlo.dot_general %175, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32xf32>, tensor<32x16xf32>) -> tensor<8x8x16xf32>
    %177 = stablehlo.reshape %arg0 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %178 = stablehlo.broadcast_in_dim %177, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<8x8x16xf32>
    %179 = stablehlo.add %176, %178 : tensor<8x8x16xf32>
    %180 = stablehlo.add %110, %179 : tensor<8x8x16xf32>
    %181 = chlo.square %180 : tensor<8x8x16xf32> -> tensor<8x8x16xf32>
    %cst_46 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %182 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<8x8x16xf32>
    %183 = stablehlo.multiply %182, %180 : tensor<8x8x16xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %184 = stablehlo.reduce(%180 init: %cst_47) applies stablehlo.add across dimensions = [2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<8x8xf32>
    %cst_48 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %185 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %186 = stablehlo.divide %184, %185 : tensor<8x8xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %187 = stablehlo.reduce(%181 init: %cst_49) applies stablehlo.add across dimensions = [2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<8x8xf32>
    %cst_50 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %188 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %189 = stablehlo.divide %187, %188 : tensor<8x8xf32>
    %190 = chlo.square %186 : tensor<8x8xf32> -> tensor<8x8xf32>
    %cst_51 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %191 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %192 = stablehlo.multiply %191, %186 : tensor<8x8xf32>
    %193 = stablehlo.subtract %189, %190 : tensor<8x8xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %194 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %195 = stablehlo.maximum %194, %193 : tensor<8x8xf32>
    %196 = stablehlo.compare EQ, %193, %195, FLOAT : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
    %cst_53 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %197 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %198 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %199 = stablehlo.select %196, %197, %198 : tensor<8x8xi1>, tensor<8x8xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %200 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %201 = stablehlo.compare EQ, %200, %195, FLOAT : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
    %cst_56 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %202 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %cst_57 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %203 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %204 = stablehlo.select %201, %202, %203 : tensor<8x8xi1>, tensor<8x8xf32>
    %205 = stablehlo.divide %199, %204 : tensor<8x8xf32>
    %206 = stablehlo.broadcast_in_dim %186, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %207 = stablehlo.broadcast_in_dim %195, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %208 = stablehlo.broadcast_in_dim %206, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x16xf32>
    %209 = stablehlo.subtract %180, %208 : tensor<8x8x16xf32>
    %cst_58 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %210 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %211 = stablehlo.add %207, %210 : tensor<8x8x1xf32>
    %212 = stablehlo.rsqrt %211 : tensor<8x8x1xf32>
    %213 = stablehlo.divide %212, %211 : tensor<8x8x1xf32>
    %cst_59 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %214 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %215 = stablehlo.multiply %214, %213 : tensor<8x8x1xf32>
    %216 = stablehlo.reshape %arg20 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %217 = stablehlo.broadcast_in_dim %212, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x16xf32>
    %218 = stablehlo.broadcast_in_dim %216, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<8x8x16xf32>
    %219 = stablehlo.multiply %217, %218 : tensor<8x8x16xf32>
    %220 = stablehlo.multiply %209, %219 : tensor<8x8x16xf32>
    %221 = stablehlo.reshape %arg19 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %222 = stablehlo.broadcast_in_dim %221, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<8x8x16xf32>
    %223 = stablehlo.add %220, %222 : tensor<8x8x16xf32>
    %224 = stablehlo.dot_general %223, %arg17, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<16x32xf32>) -> tensor<8x8x32xf32>
    %225 = stablehlo.reshape %arg16 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %226 = stablehlo.broadcast_in_dim %225, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<8x8x32xf32>
    %227 = stablehlo.add %224, %226 : tensor<8x8x32xf32>
    %228 = stablehlo.broadcast_in_dim %arg68, dims = [0, 1] : (tensor<8x8xi32>) -> tensor<8x8x1xi32>
    %229:2 = call @take_along_axis(%227, %228) : (tensor<8x8x32xf32>, tensor<8x8x1xi32>) -> (tensor<8x8x1xf32>, tensor<8x8x1x1xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %230:2 = call @_take_1(%229#0, %c) : (tensor<8x8x1xf32>, tensor<i32>) -> (tensor<8x8xf32>, tensor<1xi32>)
    %cst_60 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %231 = stablehlo.reduce(%227 init: %cst_60) applies stablehlo.maximum across dimensions = [2] : (tensor<8x8x32xf32>, tensor<f32>) -> tensor<8x8xf32>
    %232 = stablehlo.reshape %231 : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %233 = stablehlo.broadcast_in_dim %232, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x32xf32>
    %234 = stablehlo.compare EQ, %227, %233, FLOAT : (tensor<8x8x32xf32>, tensor<8x8x32xf32>) -> tensor<8x8x32xi1>
    %235 = stablehlo.convert %234 : (tensor<8x8x32xi1>) -> tensor<8x8x32xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %236 = stablehlo.reduce(%235 init: %cst_61) applies stablehlo.add across dimensions = [2] : (tensor<8x8x32xf32>, tensor<f32>) -> tensor<8x8xf32>
    %cst_62 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %237 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %238 = stablehlo.maximum %237, %231 : tensor<8x8xf32>
    %239 = stablehlo.compare EQ, %231, %238, FLOAT : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
    %cst_63 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %240 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %241 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %242 = stablehlo.select %239, %240, %241 : tensor<8x8xi1>, tensor<8x8xf32>
    %cst_65 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %243 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %244 = stablehlo.compare EQ, %243, %238, FLOAT : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
    %cst_66 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %245 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %cst_67 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %246 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %247 = stablehlo.select %244, %245, %246 : tensor<8x8xi1>, tensor<8x8xf32>
    %248 = stablehlo.divide %242, %247 : tensor<8x8xf32>
    %249 = stablehlo.is_finite %238 : (tensor<8x8xf32>) -> tensor<8x8xi1>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %250 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %251 = stablehlo.select %249, %238, %250 : tensor<8x8xi1>, tensor<8x8xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %252 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %253 = stablehlo.broadcast_in_dim %251, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %254 = stablehlo.broadcast_in_dim %253, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x32xf32>
    %255 = stablehlo.subtract %227, %254 : tensor<8x8x32xf32>
    %256 = stablehlo.exponential %255 : tensor<8x8x32xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %257 = stablehlo.reduce(%256 init: %cst_70) applies stablehlo.add across dimensions = [2] : (tensor<8x8x32xf32>, tensor<f32>) -> tensor<8x8xf32>
    %258 = stablehlo.sign %257 : tensor<8x8xf32>
    %259 = stablehlo.abs %257 : tensor<8x8xf32>
    %cst_71 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %260 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %261 = stablehlo.compare GE, %257, %260, FLOAT : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
    %262 = stablehlo.log %259 : tensor<8x8xf32>
    %263 = stablehlo.add %262, %251 : tensor<8x8xf32>
    %264 = stablehlo.subtract %263, %230#0 : tensor<8x8xf32>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %265 = stablehlo.reduce(%264 init: %cst_72) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_73 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %266 = stablehlo.divide %265, %cst_73 : tensor<f32>
    %cst_74 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_75 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %267 = stablehlo.divide %cst_74, %cst_75 : tensor<f32>
    %268 = stablehlo.broadcast_in_dim %267, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %269 = stablehlo.negate %268 : tensor<8x8xf32>
    %270 = stablehlo.divide %268, %259 : tensor<8x8xf32>
    %cst_76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %271 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %272 = stablehlo.select %261, %271, %270 : tensor<8x8xi1>, tensor<8x8xf32>
    %273 = stablehlo.select %261, %270, %271 : tensor<8x8xi1>, tensor<8x8xf32>
    %274 = stablehlo.negate %272 : tensor<8x8xf32>
    %275 = stablehlo.add %273, %274 : tensor<8x8xf32>
    %276 = stablehlo.broadcast_in_dim %275, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x32xf32>
    %277 = stablehlo.multiply %276, %256 : tensor<8x8x32xf32>
    %278 = call @_take_3(%230#1, %269) : (tensor<1xi32>, tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %279 = call @take_along_axis_4(%229#1, %278) : (tensor<8x8x1x1xi32>, tensor<8x8x1xf32>) -> tensor<8x8x32xf32>
    %280 = stablehlo.add %277, %279 : tensor<8x8x32xf32>
    %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %281 = stablehlo.reduce(%280 init: %cst_77) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8x32xf32>, tensor<f32>) -> tensor<32xf32>
    %282 = stablehlo.reshape %281 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %283 = stablehlo.reshape %282 : (tensor<1x1x32xf32>) -> tensor<32xf32>
    %284 = stablehlo.dot_general %280, %223, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32xf32>, tensor<8x8x16xf32>) -> tensor<32x16xf32>
    %285 = stablehlo.transpose %284, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
    %286 = stablehlo.dot_general %280, %arg17, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32xf32>, tensor<16x32xf32>) -> tensor<8x8x16xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %287 = stablehlo.reduce(%286 init: %cst_78) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %288 = stablehlo.reshape %287 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %289 = stablehlo.reshape %288 : (tensor<1x1x16xf32>) -> tensor<16xf32>
    %290 = stablehlo.multiply %209, %286 : tensor<8x8x16xf32>
    %291 = stablehlo.multiply %286, %219 : tensor<8x8x16xf32>
    %292 = stablehlo.broadcast_in_dim %212, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x16xf32>
    %293 = stablehlo.multiply %292, %290 : tensor<8x8x16xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %294 = stablehlo.reduce(%293 init: %cst_79) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %295 = stablehlo.reshape %294 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %296 = stablehlo.broadcast_in_dim %216, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<8x8x16xf32>
    %297 = stablehlo.multiply %290, %296 : tensor<8x8x16xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %298 = stablehlo.reduce(%297 init: %cst_80) applies stablehlo.add across dimensions = [2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<8x8xf32>
    %299 = stablehlo.reshape %298 : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %300 = stablehlo.reshape %295 : (tensor<1x1x16xf32>) -> tensor<16xf32>
    %301 = stablehlo.multiply %299, %215 : tensor<8x8x1xf32>
    %302 = stablehlo.negate %291 : tensor<8x8x16xf32>
    %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %303 = stablehlo.reduce(%302 init: %cst_81) applies stablehlo.add across dimensions = [2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<8x8xf32>
    %304 = stablehlo.reshape %303 : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %305 = stablehlo.reduce(%301 init: %cst_82) applies stablehlo.add across dimensions = [2] : (tensor<8x8x1xf32>, tensor<f32>) -> tensor<8x8xf32>
    %cst_83 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %306 = stablehlo.reduce(%304 init: %cst_83) applies stablehlo.add across dimensions = [2] : (tensor<8x8x1xf32>, tensor<f32>) -> tensor<8x8xf32>
    %307 = stablehlo.multiply %305, %205 : tensor<8x8xf32>
    %308 = stablehlo.negate %307 : tensor<8x8xf32>
    %309 = stablehlo.multiply %308, %192 : tensor<8x8xf32>
    %310 = stablehlo.add %306, %309 : tensor<8x8xf32>
    %cst_84 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %311 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %312 = stablehlo.divide %307, %311 : tensor<8x8xf32>
    %313 = stablehlo.broadcast_in_dim %312, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x16xf32>
    %cst_85 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %314 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %315 = stablehlo.divide %310, %314 : tensor<8x8xf32>
    %316 = stablehlo.broadcast_in_dim %315, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x16xf32>
    %317 = stablehlo.add %291, %316 : tensor<8x8x16xf32>
    %318 = stablehlo.multiply %313, %183 : tensor<8x8x16xf32>
    %319 = stablehlo.add %317, %318 : tensor<8x8x16xf32>
    %cst_86 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %320 = stablehlo.reduce(%319 init: %cst_86) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %321 = stablehlo.reshape %320 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %322 = stablehlo.reshape %321 : (tensor<1x1x16xf32>) -> tensor<16xf32>
    %323 = stablehlo.dot_general %319, %175, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<8x8x32xf32>) -> tensor<16x32xf32>
    %324 = stablehlo.transpose %323, dims = [1, 0] : (tensor<16x32xf32>) -> tensor<32x16xf32>
    %325 = stablehlo.dot_general %319, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<32x16xf32>) -> tensor<8x8x32xf32>
    %326 = stablehlo.multiply %157, %325 : tensor<8x8x32xf32>
    %327 = stablehlo.multiply %325, %174 : tensor<8x8x32xf32>
    %cst_87 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %328 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<8x8x32xf32>
    %329 = stablehlo.multiply %328, %326 : tensor<8x8x32xf32>
    %330 = stablehlo.multiply %329, %170 : tensor<8x8x32xf32>
    %331 = stablehlo.multiply %330, %168 : tensor<8x8x32xf32>
    %332 = stablehlo.add %330, %331 : tensor<8x8x32xf32>
    %cst_88 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %333 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<8x8x32xf32>
    %334 = stablehlo.multiply %333, %332 : tensor<8x8x32xf32>
    %335 = stablehlo.add %327, %334 : tensor<8x8x32xf32>
    %cst_89 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %336 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f32>) -> tensor<8x8x32xf32>
    %337 = stablehlo.multiply %336, %334 : tensor<8x8x32xf32>
    %338 = stablehlo.multiply %337, %162 : tensor<8x8x32xf32>
    %339 = stablehlo.add %335, %338 : tensor<8x8x32xf32>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %340 = stablehlo.reduce(%339 init: %cst_90) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8x32xf32>, tensor<f32>) -> tensor<32xf32>
    %341 = stablehlo.reshape %340 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %342 = stablehlo.reshape %341 : (tensor<1x1x32xf32>) -> tensor<32xf32>
    %343 = stablehlo.dot_general %339, %153, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32xf32>, tensor<8x8x16xf32>) -> tensor<32x16xf32>
    %344 = stablehlo.transpose %343, dims = [1, 0] : (tensor<32x16xf32>) -> tensor<16x32xf32>
    %345 = stablehlo.dot_general %339, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x32xf32>, tensor<16x32xf32>) -> tensor<8x8x16xf32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %346 = stablehlo.reduce(%345 init: %cst_91) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %347 = stablehlo.reshape %346 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %348 = stablehlo.reshape %347 : (tensor<1x1x16xf32>) -> tensor<16xf32>
    %349 = stablehlo.multiply %139, %345 : tensor<8x8x16xf32>
    %350 = stablehlo.multiply %345, %149 : tensor<8x8x16xf32>
    %351 = stablehlo.broadcast_in_dim %142, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x16xf32>
    %352 = stablehlo.multiply %351, %349 : tensor<8x8x16xf32>
    %cst_92 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %353 = stablehlo.reduce(%352 init: %cst_92) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %354 = stablehlo.reshape %353 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %355 = stablehlo.broadcast_in_dim %146, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<8x8x16xf32>
    %356 = stablehlo.multiply %349, %355 : tensor<8x8x16xf32>
    %cst_93 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %357 = stablehlo.reduce(%356 init: %cst_93) applies stablehlo.add across dimensions = [2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<8x8xf32>
    %358 = stablehlo.reshape %357 : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %359 = stablehlo.reshape %354 : (tensor<1x1x16xf32>) -> tensor<16xf32>
    %360 = stablehlo.multiply %358, %145 : tensor<8x8x1xf32>
    %361 = stablehlo.negate %350 : tensor<8x8x16xf32>
    %cst_94 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %362 = stablehlo.reduce(%361 init: %cst_94) applies stablehlo.add across dimensions = [2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<8x8xf32>
    %363 = stablehlo.reshape %362 : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %364 = stablehlo.add %319, %350 : tensor<8x8x16xf32>
    %cst_95 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %365 = stablehlo.reduce(%360 init: %cst_95) applies stablehlo.add across dimensions = [2] : (tensor<8x8x1xf32>, tensor<f32>) -> tensor<8x8xf32>
    %cst_96 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %366 = stablehlo.reduce(%363 init: %cst_96) applies stablehlo.add across dimensions = [2] : (tensor<8x8x1xf32>, tensor<f32>) -> tensor<8x8xf32>
    %367 = stablehlo.multiply %365, %135 : tensor<8x8xf32>
    %368 = stablehlo.negate %367 : tensor<8x8xf32>
    %369 = stablehlo.multiply %368, %122 : tensor<8x8xf32>
    %370 = stablehlo.add %366, %369 : tensor<8x8xf32>
    %cst_97 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %371 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %372 = stablehlo.divide %367, %371 : tensor<8x8xf32>
    %373 = stablehlo.broadcast_in_dim %372, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x16xf32>
    %cst_98 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %374 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %375 = stablehlo.divide %370, %374 : tensor<8x8xf32>
    %376 = stablehlo.broadcast_in_dim %375, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x16xf32>
    %377 = stablehlo.add %364, %376 : tensor<8x8x16xf32>
    %378 = stablehlo.multiply %373, %113 : tensor<8x8x16xf32>
    %379 = stablehlo.add %377, %378 : tensor<8x8x16xf32>
    %cst_99 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %380 = stablehlo.reduce(%379 init: %cst_99) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %381 = stablehlo.reshape %380 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %382 = stablehlo.reshape %381 : (tensor<1x1x16xf32>) -> tensor<16xf32>
    %383 = stablehlo.dot_general %379, %105, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<8x8x2x8xf32>) -> tensor<16x2x8xf32>
    %384 = stablehlo.transpose %383, dims = [1, 2, 0] : (tensor<16x2x8xf32>) -> tensor<2x8x16xf32>
    %385 = stablehlo.dot_general %379, %arg11, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x16xf32>, tensor<2x8x16xf32>) -> tensor<8x8x2x8xf32>
    %386 = stablehlo.transpose %385, dims = [0, 2, 3, 1] : (tensor<8x8x2x8xf32>) -> tensor<8x2x8x8xf32>
    %387 = stablehlo.dot_general %386, %68, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x2x8x8xf32>, tensor<8x8x2x8xf32>) -> tensor<8x2x8x8xf32>
    %388 = stablehlo.dot_general %386, %100, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<8x2x8x8xf32>, tensor<8x2x8x8xf32>) -> tensor<8x2x8x8xf32>
    %389 = stablehlo.transpose %388, dims = [0, 3, 1, 2] : (tensor<8x2x8x8xf32>) -> tensor<8x8x2x8xf32>
    %390 = stablehlo.broadcast_in_dim %103, dims = [0, 1, 2, 3] : (tensor<8x2x8x1xf32>) -> tensor<8x2x8x8xf32>
    %391 = stablehlo.multiply %387, %390 : tensor<8x2x8x8xf32>
    %392 = stablehlo.multiply %391, %96 : tensor<8x2x8x8xf32>
    %cst_100 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %393 = stablehlo.reduce(%392 init: %cst_100) applies stablehlo.add across dimensions = [3] : (tensor<8x2x8x8xf32>, tensor<f32>) -> tensor<8x2x8xf32>
    %394 = stablehlo.reshape %393 : (tensor<8x2x8xf32>) -> tensor<8x2x8x1xf32>
    %395 = stablehlo.negate %394 : tensor<8x2x8x1xf32>
    %396 = stablehlo.broadcast_in_dim %98, dims = [0, 1, 2, 3] : (tensor<8x2x8x1xf32>) -> tensor<8x2x8x8xf32>
    %397 = stablehlo.divide %387, %396 : tensor<8x2x8x8xf32>
    %cst_101 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %398 = stablehlo.reduce(%395 init: %cst_101) applies stablehlo.add across dimensions = [3] : (tensor<8x2x8x1xf32>, tensor<f32>) -> tensor<8x2x8xf32>
    %399 = stablehlo.broadcast_in_dim %398, dims = [0, 1, 2] : (tensor<8x2x8xf32>) -> tensor<8x2x8x8xf32>
    %400 = stablehlo.add %397, %399 : tensor<8x2x8x8xf32>
    %401 = stablehlo.multiply %400, %96 : tensor<8x2x8x8xf32>
    %402 = call @_where_5(%74#1, %74#2, %401) : (tensor<8x2x8x8xi1>, tensor<8x2x8x8xf32>, tensor<8x2x8x8xf32>) -> tensor<8x2x8x8xf32>
    %403 = stablehlo.dot_general %402, %72, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x2x8x8xf32>, tensor<8x8x2x8xf32>) -> tensor<8x2x8x8xf32>
    %404 = stablehlo.transpose %403, dims = [0, 2, 1, 3] : (tensor<8x2x8x8xf32>) -> tensor<8x8x2x8xf32>
    %405 = stablehlo.dot_general %402, %64, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x2x8x8xf32>, tensor<8x8x2x8xf32>) -> tensor<8x2x8x8xf32>
    %406 = stablehlo.transpose %405, dims = [0, 2, 1, 3] : (tensor<8x2x8x8xf32>) -> tensor<8x8x2x8xf32>
    %407 = stablehlo.broadcast_in_dim %70, dims = [] : (tensor<f32>) -> tensor<8x8x2x8xf32>
    %408 = stablehlo.divide %406, %407 : tensor<8x8x2x8xf32>
    %cst_102 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %409 = stablehlo.reduce(%389 init: %cst_102) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8x2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
    %410 = stablehlo.reshape %409 : (tensor<2x8xf32>) -> tensor<1x1x2x8xf32>
    %411 = stablehlo.reshape %410 : (tensor<1x1x2x8xf32>) -> tensor<2x8xf32>
    %412 = stablehlo.dot_general %389, %46, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x2x8xf32>, tensor<8x8x16xf32>) -> tensor<2x8x16xf32>
    %413 = stablehlo.transpose %412, dims = [2, 0, 1] : (tensor<2x8x16xf32>) -> tensor<16x2x8xf32>
    %414 = stablehlo.dot_general %389, %arg15, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x2x8xf32>, tensor<16x2x8xf32>) -> tensor<8x8x16xf32>
    %cst_103 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %415 = stablehlo.reduce(%404 init: %cst_103) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8x2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
    %416 = stablehlo.reshape %415 : (tensor<2x8xf32>) -> tensor<1x1x2x8xf32>
    %417 = stablehlo.reshape %416 : (tensor<1x1x2x8xf32>) -> tensor<2x8xf32>
    %418 = stablehlo.dot_general %404, %46, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x2x8xf32>, tensor<8x8x16xf32>) -> tensor<2x8x16xf32>
    %419 = stablehlo.transpose %418, dims = [2, 0, 1] : (tensor<2x8x16xf32>) -> tensor<16x2x8xf32>
    %420 = stablehlo.dot_general %404, %arg9, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x2x8xf32>, tensor<16x2x8xf32>) -> tensor<8x8x16xf32>
    %421 = stablehlo.add %414, %420 : tensor<8x8x16xf32>
    %cst_104 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %422 = stablehlo.reduce(%408 init: %cst_104) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8x2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
    %423 = stablehlo.reshape %422 : (tensor<2x8xf32>) -> tensor<1x1x2x8xf32>
    %424 = stablehlo.reshape %423 : (tensor<1x1x2x8xf32>) -> tensor<2x8xf32>
    %425 = stablehlo.dot_general %408, %46, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x8x2x8xf32>, tensor<8x8x16xf32>) -> tensor<2x8x16xf32>
    %426 = stablehlo.transpose %425, dims = [2, 0, 1] : (tensor<2x8x16xf32>) -> tensor<16x2x8xf32>
    %427 = stablehlo.dot_general %408, %arg13, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<8x8x2x8xf32>, tensor<16x2x8xf32>) -> tensor<8x8x16xf32>
    %428 = stablehlo.add %421, %427 : tensor<8x8x16xf32>
    %cst_105 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %429 = stablehlo.reduce(%428 init: %cst_105) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %430 = stablehlo.reshape %429 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %431 = stablehlo.reshape %430 : (tensor<1x1x16xf32>) -> tensor<16xf32>
    %432 = stablehlo.multiply %32, %428 : tensor<8x8x16xf32>
    %433 = stablehlo.multiply %428, %42 : tensor<8x8x16xf32>
    %434 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2] : (tensor<8x8x1xf32>) -> tensor<8x8x16xf32>
    %435 = stablehlo.multiply %434, %432 : tensor<8x8x16xf32>
    %cst_106 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %436 = stablehlo.reduce(%435 init: %cst_106) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %437 = stablehlo.reshape %436 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %438 = stablehlo.broadcast_in_dim %39, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<8x8x16xf32>
    %439 = stablehlo.multiply %432, %438 : tensor<8x8x16xf32>
    %cst_107 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %440 = stablehlo.reduce(%439 init: %cst_107) applies stablehlo.add across dimensions = [2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<8x8xf32>
    %441 = stablehlo.reshape %440 : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %442 = stablehlo.reshape %437 : (tensor<1x1x16xf32>) -> tensor<16xf32>
    %443 = stablehlo.multiply %441, %38 : tensor<8x8x1xf32>
    %444 = stablehlo.negate %433 : tensor<8x8x16xf32>
    %cst_108 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %445 = stablehlo.reduce(%444 init: %cst_108) applies stablehlo.add across dimensions = [2] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<8x8xf32>
    %446 = stablehlo.reshape %445 : (tensor<8x8xf32>) -> tensor<8x8x1xf32>
    %447 = stablehlo.add %379, %433 : tensor<8x8x16xf32>
    %cst_109 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %448 = stablehlo.reduce(%443 init: %cst_109) applies stablehlo.add across dimensions = [2] : (tensor<8x8x1xf32>, tensor<f32>) -> tensor<8x8xf32>
    %cst_110 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %449 = stablehlo.reduce(%446 init: %cst_110) applies stablehlo.add across dimensions = [2] : (tensor<8x8x1xf32>, tensor<f32>) -> tensor<8x8xf32>
    %450 = stablehlo.multiply %448, %28 : tensor<8x8xf32>
    %451 = stablehlo.negate %450 : tensor<8x8xf32>
    %452 = stablehlo.multiply %451, %15 : tensor<8x8xf32>
    %453 = stablehlo.add %449, %452 : tensor<8x8xf32>
    %cst_111 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %454 = stablehlo.broadcast_in_dim %cst_111, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %455 = stablehlo.divide %450, %454 : tensor<8x8xf32>
    %456 = stablehlo.broadcast_in_dim %455, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x16xf32>
    %cst_112 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %457 = stablehlo.broadcast_in_dim %cst_112, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %458 = stablehlo.divide %453, %457 : tensor<8x8xf32>
    %459 = stablehlo.broadcast_in_dim %458, dims = [0, 1] : (tensor<8x8xf32>) -> tensor<8x8x16xf32>
    %460 = stablehlo.add %447, %459 : tensor<8x8x16xf32>
    %461 = stablehlo.multiply %456, %6 : tensor<8x8x16xf32>
    %462 = stablehlo.add %460, %461 : tensor<8x8x16xf32>
    %cst_113 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %463 = stablehlo.reduce(%462 init: %cst_113) applies stablehlo.add across dimensions = [0] : (tensor<8x8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
    %464 = stablehlo.reshape %463 : (tensor<8x16xf32>) -> tensor<1x8x16xf32>
    %cst_114 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %465 = stablehlo.reduce(%464 init: %cst_114) applies stablehlo.add across dimensions = [0] : (tensor<1x8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
    %466 = call @_take_6(%0#1, %462) : (tensor<8x8x1xi32>, tensor<8x8x16xf32>) -> tensor<32x16xf32>
    %cst_115 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %467 = stablehlo.broadcast_in_dim %cst_115, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %468 = stablehlo.multiply %467, %322 : tensor<16xf32>
    %cst_116 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %469 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %470 = stablehlo.multiply %469, %arg23 : tensor<16xf32>
    %471 = stablehlo.add %468, %470 : tensor<16xf32>
    %cst_117 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %472 = stablehlo.broadcast_in_dim %cst_117, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %473 = stablehlo.multiply %472, %324 : tensor<32x16xf32>
    %cst_118 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %474 = stablehlo.broadcast_in_dim %cst_118, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %475 = stablehlo.multiply %474, %arg24 : tensor<32x16xf32>
    %476 = stablehlo.add %473, %475 : tensor<32x16xf32>
    %cst_119 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %477 = stablehlo.broadcast_in_dim %cst_119, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %478 = stablehlo.multiply %477, %342 : tensor<32xf32>
    %cst_120 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %479 = stablehlo.broadcast_in_dim %cst_120, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %480 = stablehlo.multiply %479, %arg25 : tensor<32xf32>
    %481 = stablehlo.add %478, %480 : tensor<32xf32>
    %cst_121 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %482 = stablehlo.broadcast_in_dim %cst_121, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %483 = stablehlo.multiply %482, %344 : tensor<16x32xf32>
    %cst_122 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %484 = stablehlo.broadcast_in_dim %cst_122, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %485 = stablehlo.multiply %484, %arg26 : tensor<16x32xf32>
    %486 = stablehlo.add %483, %485 : tensor<16x32xf32>
    %cst_123 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %487 = stablehlo.broadcast_in_dim %cst_123, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %488 = stablehlo.multiply %487, %431 : tensor<16xf32>
    %cst_124 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %489 = stablehlo.broadcast_in_dim %cst_124, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %490 = stablehlo.multiply %489, %arg27 : tensor<16xf32>
    %491 = stablehlo.add %488, %490 : tensor<16xf32>
    %cst_125 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %492 = stablehlo.broadcast_in_dim %cst_125, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %493 = stablehlo.multiply %492, %442 : tensor<16xf32>
    %cst_126 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %494 = stablehlo.broadcast_in_dim %cst_126, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %495 = stablehlo.multiply %494, %arg28 : tensor<16xf32>
    %496 = stablehlo.add %493, %495 : tensor<16xf32>
    %cst_127 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %497 = stablehlo.broadcast_in_dim %cst_127, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %498 = stablehlo.multiply %497, %348 : tensor<16xf32>
    %cst_128 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %499 = stablehlo.broadcast_in_dim %cst_128, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %500 = stablehlo.multiply %499, %arg29 : tensor<16xf32>
    %501 = stablehlo.add %498, %500 : tensor<16xf32>
    %cst_129 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %502 = stablehlo.broadcast_in_dim %cst_129, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %503 = stablehlo.multiply %502, %359 : tensor<16xf32>
    %cst_130 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %504 = stablehlo.broadcast_in_dim %cst_130, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %505 = stablehlo.multiply %504, %arg30 : tensor<16xf32>
    %506 = stablehlo.add %503, %505 : tensor<16xf32>
    %cst_131 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %507 = stablehlo.broadcast_in_dim %cst_131, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %508 = stablehlo.multiply %507, %417 : tensor<2x8xf32>
    %cst_132 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %509 = stablehlo.broadcast_in_dim %cst_132, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %510 = stablehlo.multiply %509, %arg31 : tensor<2x8xf32>
    %511 = stablehlo.add %508, %510 : tensor<2x8xf32>
    %cst_133 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %512 = stablehlo.broadcast_in_dim %cst_133, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %513 = stablehlo.multiply %512, %419 : tensor<16x2x8xf32>
    %cst_134 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %514 = stablehlo.broadcast_in_dim %cst_134, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %515 = stablehlo.multiply %514, %arg32 : tensor<16x2x8xf32>
    %516 = stablehlo.add %513, %515 : tensor<16x2x8xf32>
    %cst_135 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %517 = stablehlo.broadcast_in_dim %cst_135, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %518 = stablehlo.multiply %517, %382 : tensor<16xf32>
    %cst_136 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %519 = stablehlo.broadcast_in_dim %cst_136, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %520 = stablehlo.multiply %519, %arg33 : tensor<16xf32>
    %521 = stablehlo.add %518, %520 : tensor<16xf32>
    %cst_137 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %522 = stablehlo.broadcast_in_dim %cst_137, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
    %523 = stablehlo.multiply %522, %384 : tensor<2x8x16xf32>
    %cst_138 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %524 = stablehlo.broadcast_in_dim %cst_138, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
    %525 = stablehlo.multiply %524, %arg34 : tensor<2x8x16xf32>
    %526 = stablehlo.add %523, %525 : tensor<2x8x16xf32>
    %cst_139 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %527 = stablehlo.broadcast_in_dim %cst_139, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %528 = stablehlo.multiply %527, %424 : tensor<2x8xf32>
    %cst_140 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %529 = stablehlo.broadcast_in_dim %cst_140, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %530 = stablehlo.multiply %529, %arg35 : tensor<2x8xf32>
    %531 = stablehlo.add %528, %530 : tensor<2x8xf32>
    %cst_141 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %532 = stablehlo.broadcast_in_dim %cst_141, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %533 = stablehlo.multiply %532, %426 : tensor<16x2x8xf32>
    %cst_142 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %534 = stablehlo.broadcast_in_dim %cst_142, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %535 = stablehlo.multiply %534, %arg36 : tensor<16x2x8xf32>
    %536 = stablehlo.add %533, %535 : tensor<16x2x8xf32>
    %cst_143 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %537 = stablehlo.broadcast_in_dim %cst_143, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %538 = stablehlo.multiply %537, %411 : tensor<2x8xf32>
    %cst_144 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %539 = stablehlo.broadcast_in_dim %cst_144, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %540 = stablehlo.multiply %539, %arg37 : tensor<2x8xf32>
    %541 = stablehlo.add %538, %540 : tensor<2x8xf32>
    %cst_145 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %542 = stablehlo.broadcast_in_dim %cst_145, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %543 = stablehlo.multiply %542, %413 : tensor<16x2x8xf32>
    %cst_146 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %544 = stablehlo.broadcast_in_dim %cst_146, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %545 = stablehlo.multiply %544, %arg38 : tensor<16x2x8xf32>
    %546 = stablehlo.add %543, %545 : tensor<16x2x8xf32>
    %cst_147 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %547 = stablehlo.broadcast_in_dim %cst_147, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %548 = stablehlo.multiply %547, %283 : tensor<32xf32>
    %cst_148 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %549 = stablehlo.broadcast_in_dim %cst_148, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %550 = stablehlo.multiply %549, %arg39 : tensor<32xf32>
    %551 = stablehlo.add %548, %550 : tensor<32xf32>
    %cst_149 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %552 = stablehlo.broadcast_in_dim %cst_149, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %553 = stablehlo.multiply %552, %285 : tensor<16x32xf32>
    %cst_150 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %554 = stablehlo.broadcast_in_dim %cst_150, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %555 = stablehlo.multiply %554, %arg40 : tensor<16x32xf32>
    %556 = stablehlo.add %553, %555 : tensor<16x32xf32>
    %cst_151 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %557 = stablehlo.broadcast_in_dim %cst_151, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %558 = stablehlo.multiply %557, %466 : tensor<32x16xf32>
    %cst_152 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %559 = stablehlo.broadcast_in_dim %cst_152, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %560 = stablehlo.multiply %559, %arg41 : tensor<32x16xf32>
    %561 = stablehlo.add %558, %560 : tensor<32x16xf32>
    %cst_153 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %562 = stablehlo.broadcast_in_dim %cst_153, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %563 = stablehlo.multiply %562, %289 : tensor<16xf32>
    %cst_154 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %564 = stablehlo.broadcast_in_dim %cst_154, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %565 = stablehlo.multiply %564, %arg42 : tensor<16xf32>
    %566 = stablehlo.add %563, %565 : tensor<16xf32>
    %cst_155 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %567 = stablehlo.broadcast_in_dim %cst_155, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %568 = stablehlo.multiply %567, %300 : tensor<16xf32>
    %cst_156 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %569 = stablehlo.broadcast_in_dim %cst_156, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %570 = stablehlo.multiply %569, %arg43 : tensor<16xf32>
    %571 = stablehlo.add %568, %570 : tensor<16xf32>
    %cst_157 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %572 = stablehlo.broadcast_in_dim %cst_157, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %573 = stablehlo.multiply %572, %465 : tensor<8x16xf32>
    %cst_158 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %574 = stablehlo.broadcast_in_dim %cst_158, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %575 = stablehlo.multiply %574, %arg44 : tensor<8x16xf32>
    %576 = stablehlo.add %573, %575 : tensor<8x16xf32>
    %577 = stablehlo.multiply %322, %322 : tensor<16xf32>
    %cst_159 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %578 = stablehlo.broadcast_in_dim %cst_159, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %579 = stablehlo.multiply %578, %577 : tensor<16xf32>
    %cst_160 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %580 = stablehlo.broadcast_in_dim %cst_160, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %581 = stablehlo.multiply %580, %arg45 : tensor<16xf32>
    %582 = stablehlo.add %579, %581 : tensor<16xf32>
    %583 = stablehlo.multiply %324, %324 : tensor<32x16xf32>
    %cst_161 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %584 = stablehlo.broadcast_in_dim %cst_161, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %585 = stablehlo.multiply %584, %583 : tensor<32x16xf32>
    %cst_162 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %586 = stablehlo.broadcast_in_dim %cst_162, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %587 = stablehlo.multiply %586, %arg46 : tensor<32x16xf32>
    %588 = stablehlo.add %585, %587 : tensor<32x16xf32>
    %589 = stablehlo.multiply %342, %342 : tensor<32xf32>
    %cst_163 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %590 = stablehlo.broadcast_in_dim %cst_163, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %591 = stablehlo.multiply %590, %589 : tensor<32xf32>
    %cst_164 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %592 = stablehlo.broadcast_in_dim %cst_164, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %593 = stablehlo.multiply %592, %arg47 : tensor<32xf32>
    %594 = stablehlo.add %591, %593 : tensor<32xf32>
    %595 = stablehlo.multiply %344, %344 : tensor<16x32xf32>
    %cst_165 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %596 = stablehlo.broadcast_in_dim %cst_165, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %597 = stablehlo.multiply %596, %595 : tensor<16x32xf32>
    %cst_166 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %598 = stablehlo.broadcast_in_dim %cst_166, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %599 = stablehlo.multiply %598, %arg48 : tensor<16x32xf32>
    %600 = stablehlo.add %597, %599 : tensor<16x32xf32>
    %601 = stablehlo.multiply %431, %431 : tensor<16xf32>
    %cst_167 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %602 = stablehlo.broadcast_in_dim %cst_167, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %603 = stablehlo.multiply %602, %601 : tensor<16xf32>
    %cst_168 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %604 = stablehlo.broadcast_in_dim %cst_168, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %605 = stablehlo.multiply %604, %arg49 : tensor<16xf32>
    %606 = stablehlo.add %603, %605 : tensor<16xf32>
    %607 = stablehlo.multiply %442, %442 : tensor<16xf32>
    %cst_169 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %608 = stablehlo.broadcast_in_dim %cst_169, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %609 = stablehlo.multiply %608, %607 : tensor<16xf32>
    %cst_170 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %610 = stablehlo.broadcast_in_dim %cst_170, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %611 = stablehlo.multiply %610, %arg50 : tensor<16xf32>
    %612 = stablehlo.add %609, %611 : tensor<16xf32>
    %613 = stablehlo.multiply %348, %348 : tensor<16xf32>
    %cst_171 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %614 = stablehlo.broadcast_in_dim %cst_171, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %615 = stablehlo.multiply %614, %613 : tensor<16xf32>
    %cst_172 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %616 = stablehlo.broadcast_in_dim %cst_172, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %617 = stablehlo.multiply %616, %arg51 : tensor<16xf32>
    %618 = stablehlo.add %615, %617 : tensor<16xf32>
    %619 = stablehlo.multiply %359, %359 : tensor<16xf32>
    %cst_173 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %620 = stablehlo.broadcast_in_dim %cst_173, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %621 = stablehlo.multiply %620, %619 : tensor<16xf32>
    %cst_174 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %622 = stablehlo.broadcast_in_dim %cst_174, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %623 = stablehlo.multiply %622, %arg52 : tensor<16xf32>
    %624 = stablehlo.add %621, %623 : tensor<16xf32>
    %625 = stablehlo.multiply %417, %417 : tensor<2x8xf32>
    %cst_175 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %626 = stablehlo.broadcast_in_dim %cst_175, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %627 = stablehlo.multiply %626, %625 : tensor<2x8xf32>
    %cst_176 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %628 = stablehlo.broadcast_in_dim %cst_176, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %629 = stablehlo.multiply %628, %arg53 : tensor<2x8xf32>
    %630 = stablehlo.add %627, %629 : tensor<2x8xf32>
    %631 = stablehlo.multiply %419, %419 : tensor<16x2x8xf32>
    %cst_177 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %632 = stablehlo.broadcast_in_dim %cst_177, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %633 = stablehlo.multiply %632, %631 : tensor<16x2x8xf32>
    %cst_178 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %634 = stablehlo.broadcast_in_dim %cst_178, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %635 = stablehlo.multiply %634, %arg54 : tensor<16x2x8xf32>
    %636 = stablehlo.add %633, %635 : tensor<16x2x8xf32>
    %637 = stablehlo.multiply %382, %382 : tensor<16xf32>
    %cst_179 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %638 = stablehlo.broadcast_in_dim %cst_179, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %639 = stablehlo.multiply %638, %637 : tensor<16xf32>
    %cst_180 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %640 = stablehlo.broadcast_in_dim %cst_180, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %641 = stablehlo.multiply %640, %arg55 : tensor<16xf32>
    %642 = stablehlo.add %639, %641 : tensor<16xf32>
    %643 = stablehlo.multiply %384, %384 : tensor<2x8x16xf32>
    %cst_181 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %644 = stablehlo.broadcast_in_dim %cst_181, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
    %645 = stablehlo.multiply %644, %643 : tensor<2x8x16xf32>
    %cst_182 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %646 = stablehlo.broadcast_in_dim %cst_182, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
    %647 = stablehlo.multiply %646, %arg56 : tensor<2x8x16xf32>
    %648 = stablehlo.add %645, %647 : tensor<2x8x16xf32>
    %649 = stablehlo.multiply %424, %424 : tensor<2x8xf32>
    %cst_183 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %650 = stablehlo.broadcast_in_dim %cst_183, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %651 = stablehlo.multiply %650, %649 : tensor<2x8xf32>
    %cst_184 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %652 = stablehlo.broadcast_in_dim %cst_184, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %653 = stablehlo.multiply %652, %arg57 : tensor<2x8xf32>
    %654 = stablehlo.add %651, %653 : tensor<2x8xf32>
    %655 = stablehlo.multiply %426, %426 : tensor<16x2x8xf32>
    %cst_185 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %656 = stablehlo.broadcast_in_dim %cst_185, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %657 = stablehlo.multiply %656, %655 : tensor<16x2x8xf32>
    %cst_186 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %658 = stablehlo.broadcast_in_dim %cst_186, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %659 = stablehlo.multiply %658, %arg58 : tensor<16x2x8xf32>
    %660 = stablehlo.add %657, %659 : tensor<16x2x8xf32>
    %661 = stablehlo.multiply %411, %411 : tensor<2x8xf32>
    %cst_187 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %662 = stablehlo.broadcast_in_dim %cst_187, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %663 = stablehlo.multiply %662, %661 : tensor<2x8xf32>
    %cst_188 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %664 = stablehlo.broadcast_in_dim %cst_188, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %665 = stablehlo.multiply %664, %arg59 : tensor<2x8xf32>
    %666 = stablehlo.add %663, %665 : tensor<2x8xf32>
    %667 = stablehlo.multiply %413, %413 : tensor<16x2x8xf32>
    %cst_189 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %668 = stablehlo.broadcast_in_dim %cst_189, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %669 = stablehlo.multiply %668, %667 : tensor<16x2x8xf32>
    %cst_190 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %670 = stablehlo.broadcast_in_dim %cst_190, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %671 = stablehlo.multiply %670, %arg60 : tensor<16x2x8xf32>
    %672 = stablehlo.add %669, %671 : tensor<16x2x8xf32>
    %673 = stablehlo.multiply %283, %283 : tensor<32xf32>
    %cst_191 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %674 = stablehlo.broadcast_in_dim %cst_191, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %675 = stablehlo.multiply %674, %673 : tensor<32xf32>
    %cst_192 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %676 = stablehlo.broadcast_in_dim %cst_192, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %677 = stablehlo.multiply %676, %arg61 : tensor<32xf32>
    %678 = stablehlo.add %675, %677 : tensor<32xf32>
    %679 = stablehlo.multiply %285, %285 : tensor<16x32xf32>
    %cst_193 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %680 = stablehlo.broadcast_in_dim %cst_193, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %681 = stablehlo.multiply %680, %679 : tensor<16x32xf32>
    %cst_194 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %682 = stablehlo.broadcast_in_dim %cst_194, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %683 = stablehlo.multiply %682, %arg62 : tensor<16x32xf32>
    %684 = stablehlo.add %681, %683 : tensor<16x32xf32>
    %685 = stablehlo.multiply %466, %466 : tensor<32x16xf32>
    %cst_195 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %686 = stablehlo.broadcast_in_dim %cst_195, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %687 = stablehlo.multiply %686, %685 : tensor<32x16xf32>
    %cst_196 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %688 = stablehlo.broadcast_in_dim %cst_196, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %689 = stablehlo.multiply %688, %arg63 : tensor<32x16xf32>
    %690 = stablehlo.add %687, %689 : tensor<32x16xf32>
    %691 = stablehlo.multiply %289, %289 : tensor<16xf32>
    %cst_197 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %692 = stablehlo.broadcast_in_dim %cst_197, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %693 = stablehlo.multiply %692, %691 : tensor<16xf32>
    %cst_198 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %694 = stablehlo.broadcast_in_dim %cst_198, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %695 = stablehlo.multiply %694, %arg64 : tensor<16xf32>
    %696 = stablehlo.add %693, %695 : tensor<16xf32>
    %697 = stablehlo.multiply %300, %300 : tensor<16xf32>
    %cst_199 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %698 = stablehlo.broadcast_in_dim %cst_199, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %699 = stablehlo.multiply %698, %697 : tensor<16xf32>
    %cst_200 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %700 = stablehlo.broadcast_in_dim %cst_200, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %701 = stablehlo.multiply %700, %arg65 : tensor<16xf32>
    %702 = stablehlo.add %699, %701 : tensor<16xf32>
    %703 = stablehlo.multiply %465, %465 : tensor<8x16xf32>
    %cst_201 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %704 = stablehlo.broadcast_in_dim %cst_201, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %705 = stablehlo.multiply %704, %703 : tensor<8x16xf32>
    %cst_202 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %706 = stablehlo.broadcast_in_dim %cst_202, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %707 = stablehlo.multiply %706, %arg66 : tensor<8x16xf32>
    %708 = stablehlo.add %705, %707 : tensor<8x16xf32>
    %c_203 = stablehlo.constant dense<2147483647> : tensor<i32>
    %709 = stablehlo.compare LT, %arg22, %c_203, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_204 = stablehlo.constant dense<1> : tensor<i32>
    %710 = stablehlo.add %arg22, %c_204 : tensor<i32>
    %c_205 = stablehlo.constant dense<2147483647> : tensor<i32>
    %711 = call @_where_7(%709, %710, %c_205) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %712 = stablehlo.convert %711 : (tensor<i32>) -> tensor<f32>
    %cst_206 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %713 = stablehlo.convert %711 : (tensor<i32>) -> tensor<f32>
    %714 = stablehlo.power %cst_206, %713 : tensor<f32>
    %cst_207 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %715 = stablehlo.subtract %cst_207, %714 : tensor<f32>
    %716 = stablehlo.broadcast_in_dim %715, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %717 = stablehlo.divide %471, %716 : tensor<16xf32>
    %718 = stablehlo.broadcast_in_dim %715, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %719 = stablehlo.divide %476, %718 : tensor<32x16xf32>
    %720 = stablehlo.broadcast_in_dim %715, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %721 = stablehlo.divide %481, %720 : tensor<32xf32>
    %722 = stablehlo.broadcast_in_dim %715, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %723 = stablehlo.divide %486, %722 : tensor<16x32xf32>
    %724 = stablehlo.broadcast_in_dim %715, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %725 = stablehlo.divide %491, %724 : tensor<16xf32>
    %726 = stablehlo.broadcast_in_dim %715, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %727 = stablehlo.divide %496, %726 : tensor<16xf32>
    %728 = stablehlo.broadcast_in_dim %715, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %729 = stablehlo.divide %501, %728 : tensor<16xf32>
    %730 = stablehlo.broadcast_in_dim %715, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %731 = stablehlo.divide %506, %730 : tensor<16xf32>
    %732 = stablehlo.broadcast_in_dim %715, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %733 = stablehlo.divide %511, %732 : tensor<2x8xf32>
    %734 = stablehlo.broadcast_in_dim %715, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %735 = stablehlo.divide %516, %734 : tensor<16x2x8xf32>
    %736 = stablehlo.broadcast_in_dim %715, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %737 = stablehlo.divide %521, %736 : tensor<16xf32>
    %738 = stablehlo.broadcast_in_dim %715, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
    %739 = stablehlo.divide %526, %738 : tensor<2x8x16xf32>
    %740 = stablehlo.broadcast_in_dim %715, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %741 = stablehlo.divide %531, %740 : tensor<2x8xf32>
    %742 = stablehlo.broadcast_in_dim %715, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %743 = stablehlo.divide %536, %742 : tensor<16x2x8xf32>
    %744 = stablehlo.broadcast_in_dim %715, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %745 = stablehlo.divide %541, %744 : tensor<2x8xf32>
    %746 = stablehlo.broadcast_in_dim %715, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %747 = stablehlo.divide %546, %746 : tensor<16x2x8xf32>
    %748 = stablehlo.broadcast_in_dim %715, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %749 = stablehlo.divide %551, %748 : tensor<32xf32>
    %750 = stablehlo.broadcast_in_dim %715, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %751 = stablehlo.divide %556, %750 : tensor<16x32xf32>
    %752 = stablehlo.broadcast_in_dim %715, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %753 = stablehlo.divide %561, %752 : tensor<32x16xf32>
    %754 = stablehlo.broadcast_in_dim %715, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %755 = stablehlo.divide %566, %754 : tensor<16xf32>
    %756 = stablehlo.broadcast_in_dim %715, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %757 = stablehlo.divide %571, %756 : tensor<16xf32>
    %758 = stablehlo.broadcast_in_dim %715, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %759 = stablehlo.divide %576, %758 : tensor<8x16xf32>
    %760 = stablehlo.convert %711 : (tensor<i32>) -> tensor<f32>
    %cst_208 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %761 = stablehlo.convert %711 : (tensor<i32>) -> tensor<f32>
    %762 = stablehlo.power %cst_208, %761 : tensor<f32>
    %cst_209 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %763 = stablehlo.subtract %cst_209, %762 : tensor<f32>
    %764 = stablehlo.broadcast_in_dim %763, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %765 = stablehlo.divide %582, %764 : tensor<16xf32>
    %766 = stablehlo.broadcast_in_dim %763, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %767 = stablehlo.divide %588, %766 : tensor<32x16xf32>
    %768 = stablehlo.broadcast_in_dim %763, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %769 = stablehlo.divide %594, %768 : tensor<32xf32>
    %770 = stablehlo.broadcast_in_dim %763, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %771 = stablehlo.divide %600, %770 : tensor<16x32xf32>
    %772 = stablehlo.broadcast_in_dim %763, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %773 = stablehlo.divide %606, %772 : tensor<16xf32>
    %774 = stablehlo.broadcast_in_dim %763, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %775 = stablehlo.divide %612, %774 : tensor<16xf32>
    %776 = stablehlo.broadcast_in_dim %763, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %777 = stablehlo.divide %618, %776 : tensor<16xf32>
    %778 = stablehlo.broadcast_in_dim %763, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %779 = stablehlo.divide %624, %778 : tensor<16xf32>
    %780 = stablehlo.broadcast_in_dim %763, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %781 = stablehlo.divide %630, %780 : tensor<2x8xf32>
    %782 = stablehlo.broadcast_in_dim %763, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %783 = stablehlo.divide %636, %782 : tensor<16x2x8xf32>
    %784 = stablehlo.broadcast_in_dim %763, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %785 = stablehlo.divide %642, %784 : tensor<16xf32>
    %786 = stablehlo.broadcast_in_dim %763, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
    %787 = stablehlo.divide %648, %786 : tensor<2x8x16xf32>
    %788 = stablehlo.broadcast_in_dim %763, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %789 = stablehlo.divide %654, %788 : tensor<2x8xf32>
    %790 = stablehlo.broadcast_in_dim %763, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %791 = stablehlo.divide %660, %790 : tensor<16x2x8xf32>
    %792 = stablehlo.broadcast_in_dim %763, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %793 = stablehlo.divide %666, %792 : tensor<2x8xf32>
    %794 = stablehlo.broadcast_in_dim %763, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %795 = stablehlo.divide %672, %794 : tensor<16x2x8xf32>
    %796 = stablehlo.broadcast_in_dim %763, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %797 = stablehlo.divide %678, %796 : tensor<32xf32>
    %798 = stablehlo.broadcast_in_dim %763, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %799 = stablehlo.divide %684, %798 : tensor<16x32xf32>
    %800 = stablehlo.broadcast_in_dim %763, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %801 = stablehlo.divide %690, %800 : tensor<32x16xf32>
    %802 = stablehlo.broadcast_in_dim %763, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %803 = stablehlo.divide %696, %802 : tensor<16xf32>
    %804 = stablehlo.broadcast_in_dim %763, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %805 = stablehlo.divide %702, %804 : tensor<16xf32>
    %806 = stablehlo.broadcast_in_dim %763, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %807 = stablehlo.divide %708, %806 : tensor<8x16xf32>
    %cst_210 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %808 = stablehlo.broadcast_in_dim %cst_210, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %809 = stablehlo.add %765, %808 : tensor<16xf32>
    %810 = stablehlo.sqrt %809 : tensor<16xf32>
    %cst_211 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %811 = stablehlo.broadcast_in_dim %cst_211, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %812 = stablehlo.add %810, %811 : tensor<16xf32>
    %813 = stablehlo.divide %717, %812 : tensor<16xf32>
    %cst_212 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %814 = stablehlo.broadcast_in_dim %cst_212, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %815 = stablehlo.add %767, %814 : tensor<32x16xf32>
    %816 = stablehlo.sqrt %815 : tensor<32x16xf32>
    %cst_213 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %817 = stablehlo.broadcast_in_dim %cst_213, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %818 = stablehlo.add %816, %817 : tensor<32x16xf32>
    %819 = stablehlo.divide %719, %818 : tensor<32x16xf32>
    %cst_214 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %820 = stablehlo.broadcast_in_dim %cst_214, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %821 = stablehlo.add %769, %820 : tensor<32xf32>
    %822 = stablehlo.sqrt %821 : tensor<32xf32>
    %cst_215 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %823 = stablehlo.broadcast_in_dim %cst_215, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %824 = stablehlo.add %822, %823 : tensor<32xf32>
    %825 = stablehlo.divide %721, %824 : tensor<32xf32>
    %cst_216 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %826 = stablehlo.broadcast_in_dim %cst_216, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %827 = stablehlo.add %771, %826 : tensor<16x32xf32>
    %828 = stablehlo.sqrt %827 : tensor<16x32xf32>
    %cst_217 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %829 = stablehlo.broadcast_in_dim %cst_217, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %830 = stablehlo.add %828, %829 : tensor<16x32xf32>
    %831 = stablehlo.divide %723, %830 : tensor<16x32xf32>
    %cst_218 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %832 = stablehlo.broadcast_in_dim %cst_218, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %833 = stablehlo.add %773, %832 : tensor<16xf32>
    %834 = stablehlo.sqrt %833 : tensor<16xf32>
    %cst_219 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %835 = stablehlo.broadcast_in_dim %cst_219, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %836 = stablehlo.add %834, %835 : tensor<16xf32>
    %837 = stablehlo.divide %725, %836 : tensor<16xf32>
    %cst_220 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %838 = stablehlo.broadcast_in_dim %cst_220, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %839 = stablehlo.add %775, %838 : tensor<16xf32>
    %840 = stablehlo.sqrt %839 : tensor<16xf32>
    %cst_221 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %841 = stablehlo.broadcast_in_dim %cst_221, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %842 = stablehlo.add %840, %841 : tensor<16xf32>
    %843 = stablehlo.divide %727, %842 : tensor<16xf32>
    %cst_222 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %844 = stablehlo.broadcast_in_dim %cst_222, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %845 = stablehlo.add %777, %844 : tensor<16xf32>
    %846 = stablehlo.sqrt %845 : tensor<16xf32>
    %cst_223 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %847 = stablehlo.broadcast_in_dim %cst_223, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %848 = stablehlo.add %846, %847 : tensor<16xf32>
    %849 = stablehlo.divide %729, %848 : tensor<16xf32>
    %cst_224 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %850 = stablehlo.broadcast_in_dim %cst_224, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %851 = stablehlo.add %779, %850 : tensor<16xf32>
    %852 = stablehlo.sqrt %851 : tensor<16xf32>
    %cst_225 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %853 = stablehlo.broadcast_in_dim %cst_225, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %854 = stablehlo.add %852, %853 : tensor<16xf32>
    %855 = stablehlo.divide %731, %854 : tensor<16xf32>
    %cst_226 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %856 = stablehlo.broadcast_in_dim %cst_226, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %857 = stablehlo.add %781, %856 : tensor<2x8xf32>
    %858 = stablehlo.sqrt %857 : tensor<2x8xf32>
    %cst_227 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %859 = stablehlo.broadcast_in_dim %cst_227, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %860 = stablehlo.add %858, %859 : tensor<2x8xf32>
    %861 = stablehlo.divide %733, %860 : tensor<2x8xf32>
    %cst_228 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %862 = stablehlo.broadcast_in_dim %cst_228, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %863 = stablehlo.add %783, %862 : tensor<16x2x8xf32>
    %864 = stablehlo.sqrt %863 : tensor<16x2x8xf32>
    %cst_229 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %865 = stablehlo.broadcast_in_dim %cst_229, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %866 = stablehlo.add %864, %865 : tensor<16x2x8xf32>
    %867 = stablehlo.divide %735, %866 : tensor<16x2x8xf32>
    %cst_230 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %868 = stablehlo.broadcast_in_dim %cst_230, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %869 = stablehlo.add %785, %868 : tensor<16xf32>
    %870 = stablehlo.sqrt %869 : tensor<16xf32>
    %cst_231 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %871 = stablehlo.broadcast_in_dim %cst_231, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %872 = stablehlo.add %870, %871 : tensor<16xf32>
    %873 = stablehlo.divide %737, %872 : tensor<16xf32>
    %cst_232 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %874 = stablehlo.broadcast_in_dim %cst_232, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
    %875 = stablehlo.add %787, %874 : tensor<2x8x16xf32>
    %876 = stablehlo.sqrt %875 : tensor<2x8x16xf32>
    %cst_233 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %877 = stablehlo.broadcast_in_dim %cst_233, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
    %878 = stablehlo.add %876, %877 : tensor<2x8x16xf32>
    %879 = stablehlo.divide %739, %878 : tensor<2x8x16xf32>
    %cst_234 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %880 = stablehlo.broadcast_in_dim %cst_234, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %881 = stablehlo.add %789, %880 : tensor<2x8xf32>
    %882 = stablehlo.sqrt %881 : tensor<2x8xf32>
    %cst_235 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %883 = stablehlo.broadcast_in_dim %cst_235, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %884 = stablehlo.add %882, %883 : tensor<2x8xf32>
    %885 = stablehlo.divide %741, %884 : tensor<2x8xf32>
    %cst_236 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %886 = stablehlo.broadcast_in_dim %cst_236, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %887 = stablehlo.add %791, %886 : tensor<16x2x8xf32>
    %888 = stablehlo.sqrt %887 : tensor<16x2x8xf32>
    %cst_237 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %889 = stablehlo.broadcast_in_dim %cst_237, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %890 = stablehlo.add %888, %889 : tensor<16x2x8xf32>
    %891 = stablehlo.divide %743, %890 : tensor<16x2x8xf32>
    %cst_238 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %892 = stablehlo.broadcast_in_dim %cst_238, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %893 = stablehlo.add %793, %892 : tensor<2x8xf32>
    %894 = stablehlo.sqrt %893 : tensor<2x8xf32>
    %cst_239 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %895 = stablehlo.broadcast_in_dim %cst_239, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %896 = stablehlo.add %894, %895 : tensor<2x8xf32>
    %897 = stablehlo.divide %745, %896 : tensor<2x8xf32>
    %cst_240 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %898 = stablehlo.broadcast_in_dim %cst_240, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %899 = stablehlo.add %795, %898 : tensor<16x2x8xf32>
    %900 = stablehlo.sqrt %899 : tensor<16x2x8xf32>
    %cst_241 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %901 = stablehlo.broadcast_in_dim %cst_241, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %902 = stablehlo.add %900, %901 : tensor<16x2x8xf32>
    %903 = stablehlo.divide %747, %902 : tensor<16x2x8xf32>
    %cst_242 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %904 = stablehlo.broadcast_in_dim %cst_242, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %905 = stablehlo.add %797, %904 : tensor<32xf32>
    %906 = stablehlo.sqrt %905 : tensor<32xf32>
    %cst_243 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %907 = stablehlo.broadcast_in_dim %cst_243, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %908 = stablehlo.add %906, %907 : tensor<32xf32>
    %909 = stablehlo.divide %749, %908 : tensor<32xf32>
    %cst_244 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %910 = stablehlo.broadcast_in_dim %cst_244, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %911 = stablehlo.add %799, %910 : tensor<16x32xf32>
    %912 = stablehlo.sqrt %911 : tensor<16x32xf32>
    %cst_245 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %913 = stablehlo.broadcast_in_dim %cst_245, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %914 = stablehlo.add %912, %913 : tensor<16x32xf32>
    %915 = stablehlo.divide %751, %914 : tensor<16x32xf32>
    %cst_246 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %916 = stablehlo.broadcast_in_dim %cst_246, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %917 = stablehlo.add %801, %916 : tensor<32x16xf32>
    %918 = stablehlo.sqrt %917 : tensor<32x16xf32>
    %cst_247 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %919 = stablehlo.broadcast_in_dim %cst_247, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %920 = stablehlo.add %918, %919 : tensor<32x16xf32>
    %921 = stablehlo.divide %753, %920 : tensor<32x16xf32>
    %cst_248 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %922 = stablehlo.broadcast_in_dim %cst_248, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %923 = stablehlo.add %803, %922 : tensor<16xf32>
    %924 = stablehlo.sqrt %923 : tensor<16xf32>
    %cst_249 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %925 = stablehlo.broadcast_in_dim %cst_249, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %926 = stablehlo.add %924, %925 : tensor<16xf32>
    %927 = stablehlo.divide %755, %926 : tensor<16xf32>
    %cst_250 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %928 = stablehlo.broadcast_in_dim %cst_250, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %929 = stablehlo.add %805, %928 : tensor<16xf32>
    %930 = stablehlo.sqrt %929 : tensor<16xf32>
    %cst_251 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %931 = stablehlo.broadcast_in_dim %cst_251, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %932 = stablehlo.add %930, %931 : tensor<16xf32>
    %933 = stablehlo.divide %757, %932 : tensor<16xf32>
    %cst_252 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %934 = stablehlo.broadcast_in_dim %cst_252, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %935 = stablehlo.add %807, %934 : tensor<8x16xf32>
    %936 = stablehlo.sqrt %935 : tensor<8x16xf32>
    %cst_253 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %937 = stablehlo.broadcast_in_dim %cst_253, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %938 = stablehlo.add %936, %937 : tensor<8x16xf32>
    %939 = stablehlo.divide %759, %938 : tensor<8x16xf32>
    %cst_254 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %940 = stablehlo.broadcast_in_dim %cst_254, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %941 = stablehlo.multiply %940, %813 : tensor<16xf32>
    %cst_255 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %942 = stablehlo.broadcast_in_dim %cst_255, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %943 = stablehlo.multiply %942, %819 : tensor<32x16xf32>
    %cst_256 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %944 = stablehlo.broadcast_in_dim %cst_256, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %945 = stablehlo.multiply %944, %825 : tensor<32xf32>
    %cst_257 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %946 = stablehlo.broadcast_in_dim %cst_257, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %947 = stablehlo.multiply %946, %831 : tensor<16x32xf32>
    %cst_258 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %948 = stablehlo.broadcast_in_dim %cst_258, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %949 = stablehlo.multiply %948, %837 : tensor<16xf32>
    %cst_259 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %950 = stablehlo.broadcast_in_dim %cst_259, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %951 = stablehlo.multiply %950, %843 : tensor<16xf32>
    %cst_260 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %952 = stablehlo.broadcast_in_dim %cst_260, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %953 = stablehlo.multiply %952, %849 : tensor<16xf32>
    %cst_261 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %954 = stablehlo.broadcast_in_dim %cst_261, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %955 = stablehlo.multiply %954, %855 : tensor<16xf32>
    %cst_262 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %956 = stablehlo.broadcast_in_dim %cst_262, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %957 = stablehlo.multiply %956, %861 : tensor<2x8xf32>
    %cst_263 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %958 = stablehlo.broadcast_in_dim %cst_263, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %959 = stablehlo.multiply %958, %867 : tensor<16x2x8xf32>
    %cst_264 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %960 = stablehlo.broadcast_in_dim %cst_264, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %961 = stablehlo.multiply %960, %873 : tensor<16xf32>
    %cst_265 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %962 = stablehlo.broadcast_in_dim %cst_265, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
    %963 = stablehlo.multiply %962, %879 : tensor<2x8x16xf32>
    %cst_266 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %964 = stablehlo.broadcast_in_dim %cst_266, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %965 = stablehlo.multiply %964, %885 : tensor<2x8xf32>
    %cst_267 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %966 = stablehlo.broadcast_in_dim %cst_267, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %967 = stablehlo.multiply %966, %891 : tensor<16x2x8xf32>
    %cst_268 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %968 = stablehlo.broadcast_in_dim %cst_268, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %969 = stablehlo.multiply %968, %897 : tensor<2x8xf32>
    %cst_269 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %970 = stablehlo.broadcast_in_dim %cst_269, dims = [] : (tensor<f32>) -> tensor<16x2x8xf32>
    %971 = stablehlo.multiply %970, %903 : tensor<16x2x8xf32>
    %cst_270 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %972 = stablehlo.broadcast_in_dim %cst_270, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %973 = stablehlo.multiply %972, %909 : tensor<32xf32>
    %cst_271 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %974 = stablehlo.broadcast_in_dim %cst_271, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %975 = stablehlo.multiply %974, %915 : tensor<16x32xf32>
    %cst_272 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %976 = stablehlo.broadcast_in_dim %cst_272, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %977 = stablehlo.multiply %976, %921 : tensor<32x16xf32>
    %cst_273 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %978 = stablehlo.broadcast_in_dim %cst_273, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %979 = stablehlo.multiply %978, %927 : tensor<16xf32>
    %cst_274 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %980 = stablehlo.broadcast_in_dim %cst_274, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %981 = stablehlo.multiply %980, %933 : tensor<16xf32>
    %cst_275 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %982 = stablehlo.broadcast_in_dim %cst_275, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %983 = stablehlo.multiply %982, %939 : tensor<8x16xf32>
    %984 = stablehlo.add %arg0, %941 : tensor<16xf32>
    %985 = stablehlo.add %arg1, %943 : tensor<32x16xf32>
    %986 = stablehlo.add %arg2, %945 : tensor<32xf32>
    %987 = stablehlo.add %arg3, %947 : tensor<16x32xf32>
    %988 = stablehlo.add %arg4, %949 : tensor<16xf32>
    %989 = stablehlo.add %arg5, %951 : tensor<16xf32>
    %990 = stablehlo.add %arg6, %953 : tensor<16xf32>
    %991 = stablehlo.add %arg7, %955 : tensor<16xf32>
    %992 = stablehlo.add %arg8, %957 : tensor<2x8xf32>
    %993 = stablehlo.add %arg9, %959 : tensor<16x2x8xf32>
    %994 = stablehlo.add %arg10, %961 : tensor<16xf32>
    %995 = stablehlo.add %arg11, %963 : tensor<2x8x16xf32>
    %996 = stablehlo.add %arg12, %965 : tensor<2x8xf32>
    %997 = stablehlo.add %arg13, %967 : tensor<16x2x8xf32>
    %998 = stablehlo.add %arg14, %969 : tensor<2x8xf32>
    %999 = stablehlo.add %arg15, %971 : tensor<16x2x8xf32>
    %1000 = stablehlo.add %arg16, %973 : tensor<32xf32>
    %1001 = stablehlo.add %arg17, %975 : tensor<16x32xf32>
    %1002 = stablehlo.add %arg18, %977 : tensor<32x16xf32>
    %1003 = stablehlo.add %arg19, %979 : tensor<16xf32>
    %1004 = stablehlo.add %arg20, %981 : tensor<16xf32>
    %1005 = stablehlo.add %arg21, %983 : tensor<8x16xf32>
    return %984, %985, %986, %987, %988, %989, %990, %991, %992, %993, %994, %995, %996, %997, %998, %999, %1000, %1001, %1002, %1003, %1004, %1005, %711, %471, %476, %481, %486, %491, %496, %501, %506, %511, %516, %521, %526, %531, %536, %541, %546, %551, %556, %561, %566, %571, %576, %582, %588, %594, %600, %606, %612, %618, %624, %630, %636, %642, %648, %654, %660, %666, %672, %678, %684, %690, %696, %702, %708, %266 : tensor<16xf32>, tensor<32x16xf32>, tensor<32xf32>, tensor<16x32xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<2x8xf32>, tensor<16x2x8xf32>, tensor<16xf32>, tensor<2x8x16xf32>, tensor<2x8xf32>, tensor<16x2x8xf32>, tensor<2x8xf32>, tensor<16x2x8xf32>, tensor<32xf32>, tensor<16x32xf32>, tensor<32x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<8x16xf32>, tensor<i32>, tensor<16xf32>, tensor<32x16xf32>, tensor<32xf32>, tensor<16x32xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<2x8xf32>, tensor<16x2x8xf32>, tensor<16xf32>, tensor<2x8x16xf32>, tensor<2x8xf32>, tensor<16x2x8xf32>, tensor<2x8xf32>, tensor<16x2x8xf32>, tensor<32xf32>, tensor<16x32xf32>, tensor<32x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<8x16xf32>, tensor<16xf32>, tensor<32x16xf32>, tensor<32xf32>, tensor<16x32xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<2x8xf32>, tensor<16x2x8xf32>, tensor<16xf32>, tensor<2x8x16xf32>, tensor<2x8xf32>, tensor<16x2x8xf32>, tensor<2x8xf32>, tensor<16x2x8xf32>, tensor<32xf32>, tensor<16x32xf32>, tensor<32x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<8x16xf32>, tensor<f32>
  }
  func.func private @_take(%arg0: tensor<32x16xf32>, %arg1: tensor<8x8xi32>) -> (tensor<8x8x16xf32>, tensor<8x8x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x8xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
    %c_0 = stablehlo.constant dense<32> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x8xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<8x8xi32>
    %4 = call @_where(%1, %3, %arg1) : (tensor<8x8xi1>, tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x8xi32>) -> tensor<8x8x1xi32>
    %c_1 = stablehlo.constant dense<31> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8x8x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<8x8x1xi32>, tensor<8x8x1xi32>) -> tensor<8x8x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<8x8x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<8x8x1xi32>, tensor<8x8x1xi32>) -> tensor<8x8x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<8x8x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<8x8x1xi1>, tensor<i1>) -> tensor<8x8xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<32x16xf32>, tensor<8x8x1xi32>) -> tensor<8x8x16xf32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<8x8xi1>) -> tensor<8x8x16xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8x16xf32>
    %16 = stablehlo.select %14, %13, %15 : tensor<8x8x16xi1>, tensor<8x8x16xf32>
    return %16, %5 : tensor<8x8x16xf32>, tensor<8x8x1xi32>
  }
  func.func private @_where(%arg0: tensor<8x8xi1>, %arg1: tensor<8x8xi32>, %arg2: tensor<8x8xi32>) -> tensor<8x8xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<8x8xi1>, tensor<8x8xi32>
    return %0 : tensor<8x8xi32>
  }
  func.func private @_where_0(%arg0: tensor<8x1x8x8xf32>, %arg1: tensor<8x2x8x8xf32>, %arg2: tensor<f32>) -> (tensor<8x2x8x8xf32>, tensor<8x2x8x8xi1>, tensor<8x2x8x8xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x1x8x8xf32>
    %1 = stablehlo.compare NE, %arg0, %0, FLOAT : (tensor<8x1x8x8xf32>, tensor<8x1x8x8xf32>) -> tensor<8x1x8x8xi1>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<8x1x8x8xi1>) -> tensor<8x2x8x8xi1>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<8x2x8x8xf32>
    %4 = stablehlo.select %2, %arg1, %3 : tensor<8x2x8x8xi1>, tensor<8x2x8x8xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x2x8x8xf32>
    return %4, %2, %5 : tensor<8x2x8x8xf32>, tensor<8x2x8x8xi1>, tensor<8x2x8x8xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<8x8x32xf32>, %arg1: tensor<8x8x1xi32>) -> (tensor<8x8x1xf32>, tensor<8x8x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x8x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<8x8x1xi32>, tensor<8x8x1xi32>) -> tensor<8x8x1xi1>
    %c_0 = stablehlo.constant dense<32> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x8x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<8x8x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<8x8x1xi1>, tensor<8x8x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<8x8x1xi32>) -> tensor<8x8x1x1xi32>
    %c_1 = stablehlo.constant dense<31> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8x8x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<8x8x1x1xi32>, tensor<8x8x1x1xi32>) -> tensor<8x8x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<8x8x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<8x8x1x1xi32>, tensor<8x8x1x1xi32>) -> tensor<8x8x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<8x8x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<8x8x1x1xi1>, tensor<i1>) -> tensor<8x8x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<8x8x32xf32>, tensor<8x8x1x1xi32>) -> tensor<8x8x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<8x8x1xi1>, tensor<8x8x1xf32>
    return %15, %5 : tensor<8x8x1xf32>, tensor<8x8x1x1xi32>
  }
  func.func private @_take_1(%arg0: tensor<8x8x1xf32>, %arg1: tensor<i32>) -> (tensor<8x8xf32>, tensor<1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %2 = call @_where_2(%0, %1, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
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
    %10 = "stablehlo.gather"(%arg0, %4) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [2], start_index_map = [2]>, indices_are_sorted = false, slice_sizes = array<i64: 8, 8, 1>}> : (tensor<8x8x1xf32>, tensor<1xi32>) -> tensor<8x8xf32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<8x8xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %13 = stablehlo.select %11, %10, %12 : tensor<8x8xi1>, tensor<8x8xf32>
    return %13, %3 : tensor<8x8xf32>, tensor<1xi32>
  }
  func.func private @_where_2(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_take_3(%arg0: tensor<1xi32>, %arg1: tensor<8x8xf32>) -> tensor<8x8x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8x1xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [2], scatter_dims_to_operand_dims = [2]>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x8x1xf32>, tensor<1xi32>, tensor<8x8xf32>) -> tensor<8x8x1xf32>
    return %1 : tensor<8x8x1xf32>
  }
  func.func private @take_along_axis_4(%arg0: tensor<8x8x1x1xi32>, %arg1: tensor<8x8x1xf32>) -> tensor<8x8x32xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8x32xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8x8x32xf32>, tensor<8x8x1x1xi32>, tensor<8x8x1xf32>) -> tensor<8x8x32xf32>
    return %1 : tensor<8x8x32xf32>
  }
  func.func private @_where_5(%arg0: tensor<8x2x8x8xi1>, %arg1: tensor<8x2x8x8xf32>, %arg2: tensor<8x2x8x8xf32>) -> tensor<8x2x8x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x2x8x8xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<8x2x8x8xi1>, tensor<8x2x8x8xf32>
    return %1 : tensor<8x2x8x8xf32>
  }
  func.func private @_take_6(%arg0: tensor<8x8x1xi32>, %arg1: tensor<8x8x16xf32>) -> tensor<32x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<32x16xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<32x16xf32>, tensor<8x8x1xi32>, tensor<8x8x16xf32>) -> tensor<32x16xf32>
    return %1 : tensor<32x16xf32>
  }
  func.func private @_where_7(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
