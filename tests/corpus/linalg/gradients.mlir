// expect -0.136992 0.29003 0.144233 0.29003 0.06337 0.329949 0.144233 0.329949 0.0202642 -0.134704 0.281919 0.156235 0.281919 0.0536686 0.316712 0.156235 0.316712 0.015048 0.0524591 -0.801009 0.785618 -0.133192 -0.430992 0.45624 -0.65951 2.39564 0.565166 2.39564 -2.10974 2.62781 0.565166 2.62781 2.76925 -0.31727 -0.111901 -0.27914 -0.111901 0.256422 -0.144868 -0.27914 -0.144868 0.0608478 -0.295281 -0.0132355 -0.507875 0.160787 -0.727645 0.326139 -3.90526 -2.11962 -3.11389 7.87986 13.5523 13.4911 -0.0901313 7.87226 7.8367 1.12776 3.20715 -4.52695 -4.30967 -12.256 17.2995 -1.92742 -5.48125 7.73689
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<66xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<18xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<18xf32>
    %cst = stablehlo.constant dense<0.699999988> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %3 = stablehlo.multiply %1, %2 : tensor<18xf32>
    %4 = stablehlo.add %3, %0 : tensor<18xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %6 = stablehlo.add %4, %5 : tensor<18xf32>
    %7 = stablehlo.sine %6 : tensor<18xf32>
    %8 = stablehlo.reshape %7 : (tensor<18xf32>) -> tensor<2x3x3xf32>
    %9 = stablehlo.transpose %8, dims = [0, 2, 1] : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %10 = stablehlo.dot_general %8, %9, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %11 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %12 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %13 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %14 = stablehlo.add %11, %13 : tensor<3x3xi32>
    %15 = stablehlo.compare EQ, %14, %12, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %16 = stablehlo.convert %15 : (tensor<3x3xi1>) -> tensor<3x3xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %18 = stablehlo.multiply %17, %16 : tensor<3x3xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [1, 2] : (tensor<3x3xf32>) -> tensor<1x3x3xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<1x3x3xf32>) -> tensor<2x3x3xf32>
    %21 = stablehlo.add %10, %20 : tensor<2x3x3xf32>
    %22:5 = call @cholesky(%21) : (tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2x3x3xi1>, tensor<1x3x3xf32>, tensor<2x3x3xi1>)
    %23 = stablehlo.cosine %22#0 : tensor<2x3x3xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %25 = stablehlo.multiply %24, %23 : tensor<2x3x3xf32>
    %26 = call @cholesky_0(%22#1, %22#2, %22#3, %22#4, %25) : (tensor<2x3x3xf32>, tensor<2x3x3xi1>, tensor<1x3x3xf32>, tensor<2x3x3xi1>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %27 = stablehlo.iota dim = 0 : tensor<6xf32>
    %28 = stablehlo.multiply %27, %27 : tensor<6xf32>
    %cst_3 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %30 = stablehlo.multiply %28, %29 : tensor<6xf32>
    %31 = stablehlo.add %30, %27 : tensor<6xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %33 = stablehlo.add %31, %32 : tensor<6xf32>
    %34 = stablehlo.sine %33 : tensor<6xf32>
    %35 = stablehlo.reshape %34 : (tensor<6xf32>) -> tensor<3x2xf32>
    %36:5 = call @qr(%35) : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<2x2xi1>, tensor<2x2xf32>)
    %37 = stablehlo.sine %36#0 : tensor<3x2xf32>
    %38 = stablehlo.sine %36#1 : tensor<2x2xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
    %40 = stablehlo.negate %39 : tensor<2x2xf32>
    %41 = stablehlo.multiply %40, %38 : tensor<2x2xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %43 = stablehlo.negate %42 : tensor<3x2xf32>
    %44 = stablehlo.multiply %43, %37 : tensor<3x2xf32>
    %45 = call @qr_1(%36#1, %36#2, %36#3, %36#4, %36#0, %44, %41) : (tensor<2x2xf32>, tensor<2x3xf32>, tensor<2x2xi1>, tensor<2x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
    %46 = stablehlo.iota dim = 0 : tensor<18xf32>
    %47 = stablehlo.multiply %46, %46 : tensor<18xf32>
    %cst_7 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %49 = stablehlo.multiply %47, %48 : tensor<18xf32>
    %50 = stablehlo.add %49, %46 : tensor<18xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %52 = stablehlo.add %50, %51 : tensor<18xf32>
    %53 = stablehlo.sine %52 : tensor<18xf32>
    %54 = stablehlo.reshape %53 : (tensor<18xf32>) -> tensor<2x3x3xf32>
    %55 = stablehlo.transpose %54, dims = [0, 2, 1] : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %56 = stablehlo.dot_general %54, %55, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %57 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %58 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %59 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %60 = stablehlo.add %57, %59 : tensor<3x3xi32>
    %61 = stablehlo.compare EQ, %60, %58, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %62 = stablehlo.convert %61 : (tensor<3x3xi1>) -> tensor<3x3xf32>
    %cst_10 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %64 = stablehlo.multiply %63, %62 : tensor<3x3xf32>
    %65 = stablehlo.broadcast_in_dim %64, dims = [1, 2] : (tensor<3x3xf32>) -> tensor<1x3x3xf32>
    %66 = stablehlo.broadcast_in_dim %65, dims = [0, 1, 2] : (tensor<1x3x3xf32>) -> tensor<2x3x3xf32>
    %67 = stablehlo.add %56, %66 : tensor<2x3x3xf32>
    %68:3 = call @eigh(%67) : (tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2x3x3xf32>)
    %cst_11 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %70 = stablehlo.multiply %69, %68#0 : tensor<2x3x3xf32>
    %71 = stablehlo.iota dim = 0 : tensor<18xf32>
    %72 = stablehlo.multiply %71, %71 : tensor<18xf32>
    %cst_12 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %74 = stablehlo.multiply %72, %73 : tensor<18xf32>
    %75 = stablehlo.add %74, %71 : tensor<18xf32>
    %cst_13 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %77 = stablehlo.add %75, %76 : tensor<18xf32>
    %78 = stablehlo.sine %77 : tensor<18xf32>
    %79 = stablehlo.reshape %78 : (tensor<18xf32>) -> tensor<2x3x3xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %81 = stablehlo.multiply %80, %79 : tensor<2x3x3xf32>
    %82 = stablehlo.multiply %81, %70 : tensor<2x3x3xf32>
    %83 = call @eigh_2(%68#1, %68#0, %68#2, %82) : (tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %84 = stablehlo.iota dim = 0 : tensor<6xf32>
    %85 = stablehlo.multiply %84, %84 : tensor<6xf32>
    %cst_15 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %86 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %87 = stablehlo.multiply %85, %86 : tensor<6xf32>
    %88 = stablehlo.add %87, %84 : tensor<6xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %90 = stablehlo.add %88, %89 : tensor<6xf32>
    %91 = stablehlo.sine %90 : tensor<6xf32>
    %92 = stablehlo.reshape %91 : (tensor<6xf32>) -> tensor<3x2xf32>
    %93:7 = call @svd(%92) : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2x3xf32>, tensor<2x2xf32>, tensor<1x2xf32>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>)
    %cst_17 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %95 = stablehlo.multiply %94, %93#0 : tensor<3x2xf32>
    %96 = stablehlo.iota dim = 0 : tensor<6xf32>
    %97 = stablehlo.multiply %96, %96 : tensor<6xf32>
    %cst_18 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %98 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %99 = stablehlo.multiply %97, %98 : tensor<6xf32>
    %100 = stablehlo.add %99, %96 : tensor<6xf32>
    %cst_19 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %102 = stablehlo.add %100, %101 : tensor<6xf32>
    %103 = stablehlo.sine %102 : tensor<6xf32>
    %104 = stablehlo.reshape %103 : (tensor<6xf32>) -> tensor<3x2xf32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %106 = stablehlo.multiply %105, %104 : tensor<3x2xf32>
    %107 = stablehlo.multiply %106, %95 : tensor<3x2xf32>
    %108 = call @svd_3(%93#1, %93#2, %93#3, %93#4, %93#5, %93#6, %93#0, %107) : (tensor<2x3xf32>, tensor<2x2xf32>, tensor<1x2xf32>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %109 = stablehlo.iota dim = 0 : tensor<9xf32>
    %110 = stablehlo.multiply %109, %109 : tensor<9xf32>
    %cst_21 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %112 = stablehlo.multiply %110, %111 : tensor<9xf32>
    %113 = stablehlo.add %112, %109 : tensor<9xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %114 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %115 = stablehlo.add %113, %114 : tensor<9xf32>
    %116 = stablehlo.sine %115 : tensor<9xf32>
    %117 = stablehlo.reshape %116 : (tensor<9xf32>) -> tensor<3x3xf32>
    %118:3 = call @slogdet(%117) : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xi32>, tensor<3x3xi1>)
    %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %119 = call @slogdet_4(%117, %118#0, %118#1, %118#2, %cst_23) : (tensor<3x3xf32>, tensor<3x3xf32>, tensor<3xi32>, tensor<3x3xi1>, tensor<f32>) -> tensor<3x3xf32>
    %120 = stablehlo.iota dim = 0 : tensor<9xf32>
    %121 = stablehlo.multiply %120, %120 : tensor<9xf32>
    %cst_24 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %122 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %123 = stablehlo.multiply %121, %122 : tensor<9xf32>
    %124 = stablehlo.add %123, %120 : tensor<9xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %125 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %126 = stablehlo.add %124, %125 : tensor<9xf32>
    %127 = stablehlo.sine %126 : tensor<9xf32>
    %128 = stablehlo.reshape %127 : (tensor<9xf32>) -> tensor<3x3xf32>
    %129 = stablehlo.iota dim = 0 : tensor<3xf32>
    %130 = stablehlo.multiply %129, %129 : tensor<3xf32>
    %cst_26 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %131 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %132 = stablehlo.multiply %130, %131 : tensor<3xf32>
    %133 = stablehlo.add %132, %129 : tensor<3xf32>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %135 = stablehlo.add %133, %134 : tensor<3xf32>
    %136 = stablehlo.sine %135 : tensor<3xf32>
    %137:3 = call @solve_7(%128, %136) : (tensor<3x3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3x3xf32>, tensor<3xi32>)
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %138 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %139 = call @solve_9(%137#0, %128, %137#1, %137#2, %138) : (tensor<3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3xi32>, tensor<3xf32>) -> tensor<3x3xf32>
    %140 = stablehlo.reshape %26 : (tensor<2x3x3xf32>) -> tensor<18xf32>
    %141 = stablehlo.reshape %45 : (tensor<3x2xf32>) -> tensor<6xf32>
    %142 = stablehlo.reshape %83 : (tensor<2x3x3xf32>) -> tensor<18xf32>
    %143 = stablehlo.reshape %108 : (tensor<3x2xf32>) -> tensor<6xf32>
    %144 = stablehlo.reshape %119 : (tensor<3x3xf32>) -> tensor<9xf32>
    %145 = stablehlo.reshape %139 : (tensor<3x3xf32>) -> tensor<9xf32>
    %146 = stablehlo.concatenate %140, %141, %142, %143, %144, %145, dim = 0 : (tensor<18xf32>, tensor<6xf32>, tensor<18xf32>, tensor<6xf32>, tensor<9xf32>, tensor<9xf32>) -> tensor<66xf32>
    return %146 : tensor<66xf32>
  }
  func.func private @cholesky(%arg0: tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2x3x3xi1>, tensor<1x3x3xf32>, tensor<2x3x3xi1>) {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<2x3x3xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %3 = stablehlo.divide %1, %2 : tensor<2x3x3xf32>
    %4:2 = stablehlo.custom_call @lapack_spotrf_ffi(%3) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %6 = stablehlo.compare EQ, %4#1, %5, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x3x3xi1>
    %10 = stablehlo.select %9, %4#0, %8 : tensor<2x3x3xi1>, tensor<2x3x3xf32>
    %11 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %13 = stablehlo.add %11, %12 : tensor<3x3xi32>
    %14 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %15 = stablehlo.compare GE, %13, %14, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %16 = stablehlo.broadcast_in_dim %15, dims = [1, 2] : (tensor<3x3xi1>) -> tensor<2x3x3xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %18 = stablehlo.select %16, %10, %17 : tensor<2x3x3xi1>, tensor<2x3x3xf32>
    %19 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %20 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %21 = stablehlo.add %19, %20 : tensor<3x3xi32>
    %22 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %23 = stablehlo.compare GE, %21, %22, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %24 = stablehlo.broadcast_in_dim %23, dims = [1, 2] : (tensor<3x3xi1>) -> tensor<2x3x3xi1>
    %25 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %26 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %27 = stablehlo.add %25, %26 : tensor<3x3xi32>
    %28 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %29 = stablehlo.compare EQ, %27, %28, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %30 = stablehlo.convert %29 : (tensor<3x3xi1>) -> tensor<3x3xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %32 = stablehlo.add %31, %30 : tensor<3x3xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [1, 2] : (tensor<3x3xf32>) -> tensor<1x3x3xf32>
    %34 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %35 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %36 = stablehlo.add %34, %35 : tensor<3x3xi32>
    %37 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %38 = stablehlo.compare GE, %36, %37, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %39 = stablehlo.broadcast_in_dim %38, dims = [1, 2] : (tensor<3x3xi1>) -> tensor<2x3x3xi1>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %41 = stablehlo.select %39, %18, %40 : tensor<2x3x3xi1>, tensor<2x3x3xf32>
    return %41, %18, %24, %33, %39 : tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2x3x3xi1>, tensor<1x3x3xf32>, tensor<2x3x3xi1>
  }
  func.func private @cholesky_0(%arg0: tensor<2x3x3xf32>, %arg1: tensor<2x3x3xi1>, %arg2: tensor<1x3x3xf32>, %arg3: tensor<2x3x3xi1>, %arg4: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %1 = stablehlo.select %arg3, %arg4, %0 : tensor<2x3x3xi1>, tensor<2x3x3xf32>
    %2 = stablehlo.dot_general %1, %arg0, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %3 = stablehlo.transpose %2, dims = [0, 2, 1] : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %4 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1, 2] : (tensor<1x3x3xf32>) -> tensor<2x3x3xf32>
    %5 = stablehlo.divide %3, %4 : tensor<2x3x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %7 = stablehlo.select %arg1, %5, %6 : tensor<2x3x3xi1>, tensor<2x3x3xf32>
    %8 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %7) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}} : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %9 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %8) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}} : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %11 = stablehlo.divide %9, %10 : tensor<2x3x3xf32>
    %12 = stablehlo.transpose %11, dims = [0, 2, 1] : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %13 = stablehlo.add %11, %12 : tensor<2x3x3xf32>
    return %13 : tensor<2x3x3xf32>
  }
  func.func private @qr(%arg0: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<2x2xi1>, tensor<2x2xf32>) {
    %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}} : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>)
    %1 = stablehlo.custom_call @lapack_sorgqr_ffi(%0#0, %0#1) {backend_config = "", mhlo.backend_config = {}} : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
    %2 = stablehlo.slice %0#0 [0:2, 0:2] : (tensor<3x2xf32>) -> tensor<2x2xf32>
    %3 = stablehlo.iota dim = 0 : tensor<2x2xi32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
    %5 = stablehlo.add %3, %4 : tensor<2x2xi32>
    %6 = stablehlo.iota dim = 1 : tensor<2x2xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
    %9 = stablehlo.select %7, %8, %2 : tensor<2x2xi1>, tensor<2x2xf32>
    %10 = stablehlo.transpose %1, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    %11 = stablehlo.iota dim = 0 : tensor<2x2xi32>
    %c_0 = stablehlo.constant dense<-1> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
    %13 = stablehlo.add %11, %12 : tensor<2x2xi32>
    %14 = stablehlo.iota dim = 1 : tensor<2x2xi32>
    %15 = stablehlo.compare GE, %13, %14, SIGNED : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
    %16 = stablehlo.iota dim = 0 : tensor<2x2xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
    %18 = stablehlo.add %16, %17 : tensor<2x2xi32>
    %19 = stablehlo.iota dim = 1 : tensor<2x2xi32>
    %20 = stablehlo.compare EQ, %18, %19, SIGNED : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
    %21 = stablehlo.convert %20 : (tensor<2x2xi1>) -> tensor<2x2xf32>
    return %1, %9, %10, %15, %21 : tensor<3x2xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<2x2xi1>, tensor<2x2xf32>
  }
  func.func private @qr_1(%arg0: tensor<2x2xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x2xi1>, %arg3: tensor<2x2xf32>, %arg4: tensor<3x2xf32>, %arg5: tensor<3x2xf32>, %arg6: tensor<2x2xf32>) -> tensor<3x2xf32> {
    %0 = stablehlo.dot_general %arg6, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %1 = stablehlo.negate %0 : tensor<2x2xf32>
    %2 = stablehlo.dot_general %arg5, %arg4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %4 = stablehlo.negate %3 : tensor<2x2xf32>
    %5 = stablehlo.add %1, %3 : tensor<2x2xf32>
    %6 = stablehlo.add %0, %4 : tensor<2x2xf32>
    %7 = stablehlo.multiply %arg3, %5 : tensor<2x2xf32>
    %8 = stablehlo.negate %7 : tensor<2x2xf32>
    %9 = stablehlo.add %6, %7 : tensor<2x2xf32>
    %10 = stablehlo.add %9, %8 : tensor<2x2xf32>
    %11 = stablehlo.negate %5 : tensor<2x2xf32>
    %12 = stablehlo.transpose %11, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %13 = stablehlo.add %5, %12 : tensor<2x2xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
    %15 = stablehlo.select %arg2, %13, %14 : tensor<2x2xi1>, tensor<2x2xf32>
    %16 = stablehlo.add %10, %15 : tensor<2x2xf32>
    %17 = stablehlo.dot_general %16, %arg1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %18 = stablehlo.transpose %17, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %19 = stablehlo.add %arg5, %18 : tensor<3x2xf32>
    %20 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %19) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}} : (tensor<2x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %20 : tensor<3x2xf32>
  }
  func.func private @eigh(%arg0: tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2x3x3xf32>) {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<2x3x3xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %3 = stablehlo.divide %1, %2 : tensor<2x3x3xf32>
    %4 = stablehlo.transpose %3, dims = [0, 2, 1] : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %5 = stablehlo.add %3, %4 : tensor<2x3x3xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %7 = stablehlo.divide %5, %6 : tensor<2x3x3xf32>
    %8:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%7) {backend_config = "", mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2x3xf32>, tensor<2xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %10 = stablehlo.compare EQ, %8#2, %9, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x3x3xi1>
    %14 = stablehlo.select %13, %8#0, %12 : tensor<2x3x3xi1>, tensor<2x3x3xf32>
    %15 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %cst_2 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %17 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x3xi1>
    %18 = stablehlo.select %17, %8#1, %16 : tensor<2x3xi1>, tensor<2x3xf32>
    %19 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %20 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %21 = stablehlo.add %19, %20 : tensor<3x3xi32>
    %22 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %23 = stablehlo.compare EQ, %21, %22, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %24 = stablehlo.convert %23 : (tensor<3x3xi1>) -> tensor<3x3xf32>
    %25 = stablehlo.broadcast_in_dim %18, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
    %26 = stablehlo.broadcast_in_dim %24, dims = [1, 2] : (tensor<3x3xf32>) -> tensor<1x3x3xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<1x3x3xf32>) -> tensor<2x3x3xf32>
    %28 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<2x1x3xf32>) -> tensor<2x3x3xf32>
    %29 = stablehlo.add %27, %28 : tensor<2x3x3xf32>
    %30 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2] : (tensor<2x3x1xf32>) -> tensor<2x3x3xf32>
    %32 = stablehlo.subtract %29, %31 : tensor<2x3x3xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %34 = stablehlo.divide %33, %32 : tensor<2x3x3xf32>
    %35 = stablehlo.broadcast_in_dim %24, dims = [1, 2] : (tensor<3x3xf32>) -> tensor<1x3x3xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2] : (tensor<1x3x3xf32>) -> tensor<2x3x3xf32>
    %37 = stablehlo.subtract %34, %36 : tensor<2x3x3xf32>
    %38 = stablehlo.transpose %14, dims = [0, 2, 1] : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    return %14, %38, %37 : tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2x3x3xf32>
  }
  func.func private @eigh_2(%arg0: tensor<2x3x3xf32>, %arg1: tensor<2x3x3xf32>, %arg2: tensor<2x3x3xf32>, %arg3: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
    %0 = stablehlo.dot_general %arg3, %arg1, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %1 = stablehlo.transpose %0, dims = [0, 2, 1] : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %2 = stablehlo.multiply %arg2, %1 : tensor<2x3x3xf32>
    %3 = stablehlo.dot_general %2, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [HIGHEST, HIGHEST] : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %4 = stablehlo.dot_general %3, %arg0, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %5 = stablehlo.transpose %4, dims = [0, 2, 1] : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %7 = stablehlo.divide %5, %6 : tensor<2x3x3xf32>
    %8 = stablehlo.transpose %7, dims = [0, 2, 1] : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %9 = stablehlo.add %7, %8 : tensor<2x3x3xf32>
    return %9 : tensor<2x3x3xf32>
  }
  func.func private @svd(%arg0: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2x3xf32>, tensor<2x2xf32>, tensor<1x2xf32>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>) {
    %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 83 : ui8}} : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>, tensor<3x2xf32>, tensor<2x2xf32>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xi1>) -> tensor<2xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<2xi1>, tensor<2xf32>
    %7 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<3x2xi1>
    %10 = stablehlo.select %9, %0#2, %8 : tensor<3x2xi1>, tensor<3x2xf32>
    %11 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<2x2xi1>
    %14 = stablehlo.select %13, %0#3, %12 : tensor<2x2xi1>, tensor<2x2xf32>
    %15 = stablehlo.transpose %10, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    %16 = stablehlo.transpose %14, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %17 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
    %18 = stablehlo.transpose %17, dims = [1, 0] : (tensor<1x2xf32>) -> tensor<2x1xf32>
    %19 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<1x2xf32>) -> tensor<2x2xf32>
    %20 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x2xf32>
    %21 = stablehlo.add %19, %20 : tensor<2x2xf32>
    %22 = stablehlo.transpose %17, dims = [1, 0] : (tensor<1x2xf32>) -> tensor<2x1xf32>
    %23 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<1x2xf32>) -> tensor<2x2xf32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x2xf32>
    %25 = stablehlo.subtract %23, %24 : tensor<2x2xf32>
    %26 = stablehlo.multiply %21, %25 : tensor<2x2xf32>
    %27 = stablehlo.iota dim = 0 : tensor<2x2xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %28 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
    %29 = stablehlo.add %27, %28 : tensor<2x2xi32>
    %30 = stablehlo.iota dim = 1 : tensor<2x2xi32>
    %31 = stablehlo.compare EQ, %29, %30, SIGNED : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
    %32 = stablehlo.convert %31 : (tensor<2x2xi1>) -> tensor<2x2xf32>
    %33 = stablehlo.add %26, %32 : tensor<2x2xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
    %35 = stablehlo.divide %34, %33 : tensor<2x2xf32>
    %36 = stablehlo.subtract %35, %32 : tensor<2x2xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %38 = stablehlo.compare EQ, %6, %37, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %39 = stablehlo.convert %38 : (tensor<2xi1>) -> tensor<2xf32>
    %40 = stablehlo.add %6, %39 : tensor<2xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %42 = stablehlo.divide %41, %40 : tensor<2xf32>
    %43 = stablehlo.subtract %42, %39 : tensor<2xf32>
    %44 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %46 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %47 = stablehlo.compare LT, %44, %46, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_8 = stablehlo.constant dense<2> : tensor<i32>
    %48 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %49 = stablehlo.add %44, %48 : tensor<2xi32>
    %50 = stablehlo.select %47, %49, %44 : tensor<2xi1>, tensor<2xi32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %51 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %52 = stablehlo.compare LT, %44, %51, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_10 = stablehlo.constant dense<2> : tensor<i32>
    %53 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %54 = stablehlo.add %44, %53 : tensor<2xi32>
    %55 = stablehlo.select %52, %54, %44 : tensor<2xi1>, tensor<2xi32>
    %56 = stablehlo.broadcast_in_dim %50, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %57 = stablehlo.broadcast_in_dim %55, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %58 = stablehlo.concatenate %56, %57, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
    %59 = "stablehlo.scatter"(%45, %58, %43) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      stablehlo.return %arg2 : tensor<f32>
    }) : (tensor<2x2xf32>, tensor<2x2xi32>, tensor<2xf32>) -> tensor<2x2xf32>
    %cst_11 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    return %10, %15, %16, %17, %cst_11, %59, %36 : tensor<3x2xf32>, tensor<2x3xf32>, tensor<2x2xf32>, tensor<1x2xf32>, tensor<f32>, tensor<2x2xf32>, tensor<2x2xf32>
  }
  func.func private @svd_3(%arg0: tensor<2x3xf32>, %arg1: tensor<2x2xf32>, %arg2: tensor<1x2xf32>, %arg3: tensor<f32>, %arg4: tensor<2x2xf32>, %arg5: tensor<2x2xf32>, %arg6: tensor<3x2xf32>, %arg7: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1] : (tensor<1x2xf32>) -> tensor<3x2xf32>
    %1 = stablehlo.divide %arg7, %0 : tensor<3x2xf32>
    %2 = stablehlo.negate %1 : tensor<3x2xf32>
    %3 = stablehlo.dot_general %2, %arg6, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %5 = stablehlo.dot_general %4, %arg0, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %6 = stablehlo.transpose %5, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %7 = stablehlo.add %1, %6 : tensor<3x2xf32>
    %8 = stablehlo.dot_general %7, %arg1, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
    %9 = stablehlo.dot_general %arg7, %arg6, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    %10 = stablehlo.transpose %9, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %11 = stablehlo.multiply %arg5, %10 : tensor<2x2xf32>
    %12 = stablehlo.transpose %11, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %13 = stablehlo.add %11, %12 : tensor<2x2xf32>
    %14 = stablehlo.multiply %10, %arg4 : tensor<2x2xf32>
    %15 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
    %16 = stablehlo.multiply %15, %14 : tensor<2x2xf32>
    %17 = stablehlo.negate %16 : tensor<2x2xf32>
    %18 = stablehlo.transpose %17, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %19 = stablehlo.add %16, %18 : tensor<2x2xf32>
    %20 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1] : (tensor<1x2xf32>) -> tensor<2x2xf32>
    %21 = stablehlo.multiply %20, %13 : tensor<2x2xf32>
    %22 = stablehlo.add %19, %21 : tensor<2x2xf32>
    %23 = stablehlo.dot_general %22, %arg1, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    %24 = stablehlo.dot_general %23, %arg0, contracting_dims = [0] x [0], precision = [HIGHEST, HIGHEST] : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %25 = stablehlo.transpose %24, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %26 = stablehlo.add %8, %25 : tensor<3x2xf32>
    return %26 : tensor<3x2xf32>
  }
  func.func private @slogdet(%arg0: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xi32>, tensor<3x3xi1>) {
    %0:2 = call @solve(%arg0) : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xi32>)
    %1 = call @trace() : () -> tensor<3x3xi1>
    return %0#0, %0#1, %1 : tensor<3x3xf32>, tensor<3xi32>, tensor<3x3xi1>
  }
  func.func private @solve(%arg0: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xi32>) {
    %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xi32>, tensor<i32>)
    %c = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %2 = stablehlo.subtract %0#1, %1 : tensor<3xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<i32>
    %4 = stablehlo.compare GE, %0#2, %3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %7 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<3x3xi1>
    %8 = stablehlo.select %7, %0#0, %6 : tensor<3x3xi1>, tensor<3x3xf32>
    %9 = stablehlo.iota dim = 0 : tensor<3xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %10:4 = stablehlo.while(%iterArg = %2, %iterArg_3 = %c_2, %iterArg_4 = %c_1, %iterArg_5 = %9) : tensor<3xi32>, tensor<i32>, tensor<i32>, tensor<3xi32>
    cond {
      %c_6 = stablehlo.constant dense<3> : tensor<i32>
      %11 = stablehlo.compare LT, %iterArg_3, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %11 : tensor<i1>
    } do {
      %11:2 = func.call @closed_call(%iterArg, %iterArg_4, %iterArg_5) : (tensor<3xi32>, tensor<i32>, tensor<3xi32>) -> (tensor<i32>, tensor<3xi32>)
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %12 = stablehlo.add %iterArg_3, %c_6 : tensor<i32>
      stablehlo.return %iterArg, %12, %11#0, %11#1 : tensor<3xi32>, tensor<i32>, tensor<i32>, tensor<3xi32>
    }
    return %8, %10#3 : tensor<3x3xf32>, tensor<3xi32>
  }
  func.func private @closed_call(%arg0: tensor<3xi32>, %arg1: tensor<i32>, %arg2: tensor<3xi32>) -> (tensor<i32>, tensor<3xi32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg1, %c : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare LT, %arg1, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = stablehlo.convert %arg1 : tensor<i32>
    %c_1 = stablehlo.constant dense<3> : tensor<i32>
    %3 = stablehlo.add %2, %c_1 : tensor<i32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<i1>, tensor<i32>
    %5 = stablehlo.dynamic_slice %arg0, %4, sizes = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<1xi32>
    %6 = stablehlo.reshape %5 : (tensor<1xi32>) -> tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.compare LT, %arg1, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %8 = stablehlo.convert %arg1 : tensor<i32>
    %c_3 = stablehlo.constant dense<3> : tensor<i32>
    %9 = stablehlo.add %8, %c_3 : tensor<i32>
    %10 = stablehlo.select %7, %9, %arg1 : tensor<i1>, tensor<i32>
    %11 = stablehlo.dynamic_slice %arg2, %10, sizes = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<1xi32>
    %12 = stablehlo.reshape %11 : (tensor<1xi32>) -> tensor<i32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %13 = stablehlo.compare LT, %6, %c_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_5 = stablehlo.constant dense<3> : tensor<i32>
    %14 = stablehlo.add %6, %c_5 : tensor<i32>
    %15 = stablehlo.select %13, %14, %6 : tensor<i1>, tensor<i32>
    %16 = stablehlo.dynamic_slice %arg2, %15, sizes = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<1xi32>
    %17 = stablehlo.reshape %16 : (tensor<1xi32>) -> tensor<i32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %18 = stablehlo.compare LT, %arg1, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_7 = stablehlo.constant dense<3> : tensor<i32>
    %19 = stablehlo.add %arg1, %c_7 : tensor<i32>
    %20 = stablehlo.select %18, %19, %arg1 : tensor<i1>, tensor<i32>
    %21 = stablehlo.convert %20 : tensor<i32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %23 = "stablehlo.scatter"(%arg2, %22, %17) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<3xi32>, tensor<1xi32>, tensor<i32>) -> tensor<3xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %24 = stablehlo.compare LT, %6, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_9 = stablehlo.constant dense<3> : tensor<i32>
    %25 = stablehlo.add %6, %c_9 : tensor<i32>
    %26 = stablehlo.select %24, %25, %6 : tensor<i1>, tensor<i32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %28 = "stablehlo.scatter"(%23, %27, %12) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<3xi32>, tensor<1xi32>, tensor<i32>) -> tensor<3xi32>
    return %0, %28 : tensor<i32>, tensor<3xi32>
  }
  func.func private @trace() -> tensor<3x3xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %1 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %3 = stablehlo.add %0, %2 : tensor<3x3xi32>
    %4 = stablehlo.compare EQ, %3, %1, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    return %4 : tensor<3x3xi1>
  }
  func.func private @slogdet_4(%arg0: tensor<3x3xf32>, %arg1: tensor<3x3xf32>, %arg2: tensor<3xi32>, %arg3: tensor<3x3xi1>, %arg4: tensor<f32>) -> tensor<3x3xf32> {
    %0 = call @trace_5(%arg3, %arg4) : (tensor<3x3xi1>, tensor<f32>) -> tensor<3x3xf32>
    %1 = call @solve_6(%arg0, %arg1, %arg2, %0) : (tensor<3x3xf32>, tensor<3x3xf32>, tensor<3xi32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    return %1 : tensor<3x3xf32>
  }
  func.func private @trace_5(%arg0: tensor<3x3xi1>, %arg1: tensor<f32>) -> tensor<3x3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %1 = call @_where(%arg0, %0) : (tensor<3x3xi1>, tensor<3x3xf32>) -> tensor<3x3xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
    return %2 : tensor<3x3xf32>
  }
  func.func private @_where(%arg0: tensor<3x3xi1>, %arg1: tensor<3x3xf32>) -> tensor<3x3xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<3x3xi1>, tensor<3x3xf32>
    return %1 : tensor<3x3xf32>
  }
  func.func private @solve_6(%arg0: tensor<3x3xf32>, %arg1: tensor<3x3xf32>, %arg2: tensor<3xi32>, %arg3: tensor<3x3xf32>) -> tensor<3x3xf32> {
    %0 = stablehlo.transpose %arg3, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %1 = call @_lu_solve(%arg1, %arg2, %0) : (tensor<3x3xf32>, tensor<3xi32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
    return %2 : tensor<3x3xf32>
  }
  func.func private @_lu_solve(%arg0: tensor<3x3xf32>, %arg1: tensor<3xi32>, %arg2: tensor<3x3xf32>) -> tensor<3x3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1] : (tensor<3x3xf32>) -> tensor<3x3x1xf32>
    %1 = stablehlo.transpose %0, dims = [1, 2, 0] : (tensor<3x3x1xf32>) -> tensor<3x1x3xf32>
    %2 = stablehlo.reshape %1 : (tensor<3x1x3xf32>) -> tensor<3x3xf32>
    %3 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %2) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    %4 = stablehlo.reshape %3 : (tensor<3x3xf32>) -> tensor<3x1x3xf32>
    %5 = stablehlo.reshape %4 : (tensor<3x1x3xf32>) -> tensor<3x3xf32>
    %6 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %5) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    %7 = stablehlo.reshape %6 : (tensor<3x3xf32>) -> tensor<3x1x3xf32>
    %8 = stablehlo.iota dim = 0 : tensor<3xi32>
    %9:2 = "stablehlo.sort"(%arg1, %8) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>, %arg5: tensor<i32>, %arg6: tensor<i32>):
      %19 = stablehlo.compare LT, %arg3, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %19 : tensor<i1>
    }) : (tensor<3xi32>, tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %11 = stablehlo.compare LT, %9#1, %10, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %13 = stablehlo.add %9#1, %12 : tensor<3xi32>
    %14 = stablehlo.select %11, %13, %9#1 : tensor<3xi1>, tensor<3xi32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %16 = stablehlo.transpose %7, dims = [2, 0, 1] : (tensor<3x1x3xf32>) -> tensor<3x3x1xf32>
    %17 = "stablehlo.gather"(%16, %15) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 3, 1, 1>}> : (tensor<3x3x1xf32>, tensor<3x1xi32>) -> tensor<3x3x1xf32>
    %18 = stablehlo.reshape %17 : (tensor<3x3x1xf32>) -> tensor<3x3xf32>
    return %18 : tensor<3x3xf32>
  }
  func.func private @solve_7(%arg0: tensor<3x3xf32>, %arg1: tensor<3xf32>) -> (tensor<3xf32>, tensor<3x3xf32>, tensor<3xi32>) {
    %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xi32>, tensor<i32>)
    %c = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %2 = stablehlo.subtract %0#1, %1 : tensor<3xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<i32>
    %4 = stablehlo.compare GE, %0#2, %3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %7 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<3x3xi1>
    %8 = stablehlo.select %7, %0#0, %6 : tensor<3x3xi1>, tensor<3x3xf32>
    %9 = stablehlo.iota dim = 0 : tensor<3xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %10:4 = stablehlo.while(%iterArg = %2, %iterArg_3 = %c_2, %iterArg_4 = %c_1, %iterArg_5 = %9) : tensor<3xi32>, tensor<i32>, tensor<i32>, tensor<3xi32>
    cond {
      %c_6 = stablehlo.constant dense<3> : tensor<i32>
      %12 = stablehlo.compare LT, %iterArg_3, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %12 : tensor<i1>
    } do {
      %12:2 = func.call @closed_call(%iterArg, %iterArg_4, %iterArg_5) : (tensor<3xi32>, tensor<i32>, tensor<3xi32>) -> (tensor<i32>, tensor<3xi32>)
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %13 = stablehlo.add %iterArg_3, %c_6 : tensor<i32>
      stablehlo.return %iterArg, %13, %12#0, %12#1 : tensor<3xi32>, tensor<i32>, tensor<i32>, tensor<3xi32>
    }
    %11 = call @_lu_solve_8(%8, %10#3, %arg1) : (tensor<3x3xf32>, tensor<3xi32>, tensor<3xf32>) -> tensor<3xf32>
    return %11, %8, %10#3 : tensor<3xf32>, tensor<3x3xf32>, tensor<3xi32>
  }
  func.func private @_lu_solve_8(%arg0: tensor<3x3xf32>, %arg1: tensor<3xi32>, %arg2: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %2 = stablehlo.compare LT, %arg1, %1, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %4 = stablehlo.add %arg1, %3 : tensor<3xi32>
    %5 = stablehlo.select %2, %4, %arg1 : tensor<3xi1>, tensor<3xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %7 = "stablehlo.gather"(%0, %6) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<3x1xf32>, tensor<3x1xi32>) -> tensor<3x1xf32>
    %8 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %7) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}} : (tensor<3x3xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
    %9 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %8) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}} : (tensor<3x3xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
    %10 = stablehlo.reshape %9 : (tensor<3x1xf32>) -> tensor<3xf32>
    return %10 : tensor<3xf32>
  }
  func.func private @solve_9(%arg0: tensor<3xf32>, %arg1: tensor<3x3xf32>, %arg2: tensor<3x3xf32>, %arg3: tensor<3xi32>, %arg4: tensor<3xf32>) -> tensor<3x3xf32> {
    %0 = call @_lu_solve_10(%arg2, %arg3, %arg4) : (tensor<3x3xf32>, tensor<3xi32>, tensor<3xf32>) -> tensor<3xf32>
    %1 = stablehlo.negate %0 : tensor<3xf32>
    %2 = stablehlo.dot_general %1, %arg0, contracting_dims = [] x [], precision = [HIGHEST, HIGHEST] : (tensor<3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
    return %2 : tensor<3x3xf32>
  }
  func.func private @_lu_solve_10(%arg0: tensor<3x3xf32>, %arg1: tensor<3xi32>, %arg2: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %1 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %0) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}} : (tensor<3x3xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
    %2 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %1) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}} : (tensor<3x3xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
    %3 = stablehlo.iota dim = 0 : tensor<3xi32>
    %4:2 = "stablehlo.sort"(%arg1, %3) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>, %arg5: tensor<i32>, %arg6: tensor<i32>):
      %13 = stablehlo.compare LT, %arg3, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    }) : (tensor<3xi32>, tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %6 = stablehlo.compare LT, %4#1, %5, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %8 = stablehlo.add %4#1, %7 : tensor<3xi32>
    %9 = stablehlo.select %6, %8, %4#1 : tensor<3xi1>, tensor<3xi32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %11 = "stablehlo.gather"(%2, %10) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<3x1xf32>, tensor<3x1xi32>) -> tensor<3x1xf32>
    %12 = stablehlo.reshape %11 : (tensor<3x1xf32>) -> tensor<3xf32>
    return %12 : tensor<3xf32>
  }
}
