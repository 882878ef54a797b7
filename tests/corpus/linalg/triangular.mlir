// expect 0.444649 0.0699827 -0.0589022 -0.327813 -0.0356489 -0.567989 0.148486 -0.49152 -0.223797 -0.325203 -0.307977 0.227334 0.472075 0.11082 0.870013 0.0243655 0.403403 0.0234347 0.0478267 -0.287414 0.346798 0.159871 0.43367 -0.358286 -0.418826 0.0710953 -0.465239 -0.175293 -0.164159 -0.284506 -0.177968 0.0702644 -0.273239 -0.880707 0.740878 0.0388341 0.228528 0.331189 -0.154061 -0.287988 -0.303048 -0.306881 0.476701 -0.480174 -0.282135 -0.240536 -0.533833 0.26281 0.329089 0.256965 0.0492842 -0.203096 0.799618 0.0385841 0.384415 -0.261954 0.0745599 -0.191708 0.463832 -0.208641 -0.247235 -0.250367 -0.245093 -0.280405 -0.134617 -0.46817 -0.238996 -0.166623 -0.728327 -0.456689 0.0875079 0.405983 0.841471 0.42738 -0.464602 -1.35706 -1.12524 -0.249458 1.44135 -1.87313 -0.166247 -0.664296 -0.629888 0.636055 0.520574 0.221818 2.16764 0.316929 1.7735 -0.977089 0.540302 -0.504846 0.634693 -1.01292 1.2758 -1.39331 -1.63794 -0.632232 -1.02263 -0.535085 -0.502544 -0.549962 -1.87679 -1.1535 -0.896772 0.789889 2.2838 1.51451 0.841471 -0.652156 -0.249099 -0.767685 0.33215 -1.11888 0.706167 -1.25355 0.273264 -0.664296 -1.82468 2.08459 0.64625 0.307441 -0.0258989 -0.653655 -0.61094 1.92579 0.540302 -0.658957 1.0595 -0.0954283 0.715436 -0.72268 -0.971171 1.2056 -0.355977 -0.535085 -0.370714 0.569566 -0.681332 -1.34754 0.362267 -0.95105 0.697523 0.672073
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<144xf32> {jax.result_info = "result"}) {
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
    %8 = stablehlo.multiply %0, %0 : tensor<18xf32>
    %cst_1 = stablehlo.constant dense<1.100000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %10 = stablehlo.multiply %8, %9 : tensor<18xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %12 = stablehlo.add %10, %11 : tensor<18xf32>
    %13 = stablehlo.cosine %12 : tensor<18xf32>
    %14 = stablehlo.convert %13 : (tensor<18xf32>) -> tensor<18xcomplex<f32>>
    %cst_3 = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>
    %15 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<complex<f32>>) -> tensor<18xcomplex<f32>>
    %16 = stablehlo.multiply %15, %14 : tensor<18xcomplex<f32>>
    %17 = stablehlo.convert %7 : (tensor<18xf32>) -> tensor<18xcomplex<f32>>
    %18 = stablehlo.add %17, %16 : tensor<18xcomplex<f32>>
    %19 = stablehlo.reshape %18 : (tensor<18xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %20 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %21 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %22 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %23 = stablehlo.add %20, %22 : tensor<3x3xi32>
    %24 = stablehlo.compare EQ, %23, %21, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %25 = stablehlo.convert %24 : (tensor<3x3xi1>) -> tensor<3x3xcomplex<f32>>
    %cst_4 = stablehlo.constant dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %26 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<complex<f32>>) -> tensor<3x3xcomplex<f32>>
    %27 = stablehlo.multiply %26, %25 : tensor<3x3xcomplex<f32>>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1, 2] : (tensor<3x3xcomplex<f32>>) -> tensor<1x3x3xcomplex<f32>>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2] : (tensor<1x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %30 = stablehlo.add %19, %29 : tensor<2x3x3xcomplex<f32>>
    %31 = stablehlo.iota dim = 0 : tensor<18xf32>
    %32 = stablehlo.multiply %31, %31 : tensor<18xf32>
    %cst_5 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %34 = stablehlo.multiply %32, %33 : tensor<18xf32>
    %35 = stablehlo.add %34, %31 : tensor<18xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %37 = stablehlo.add %35, %36 : tensor<18xf32>
    %38 = stablehlo.sine %37 : tensor<18xf32>
    %39 = stablehlo.multiply %31, %31 : tensor<18xf32>
    %cst_7 = stablehlo.constant dense<1.100000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %41 = stablehlo.multiply %39, %40 : tensor<18xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %43 = stablehlo.add %41, %42 : tensor<18xf32>
    %44 = stablehlo.cosine %43 : tensor<18xf32>
    %45 = stablehlo.convert %44 : (tensor<18xf32>) -> tensor<18xcomplex<f32>>
    %cst_9 = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>
    %46 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<complex<f32>>) -> tensor<18xcomplex<f32>>
    %47 = stablehlo.multiply %46, %45 : tensor<18xcomplex<f32>>
    %48 = stablehlo.convert %38 : (tensor<18xf32>) -> tensor<18xcomplex<f32>>
    %49 = stablehlo.add %48, %47 : tensor<18xcomplex<f32>>
    %50 = stablehlo.reshape %49 : (tensor<18xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %51 = stablehlo.custom_call @lapack_ctrsm_ffi(%30, %50) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}} : (tensor<2x3x3xcomplex<f32>>, tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %52 = stablehlo.iota dim = 0 : tensor<18xf32>
    %53 = stablehlo.multiply %52, %52 : tensor<18xf32>
    %cst_10 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %55 = stablehlo.multiply %53, %54 : tensor<18xf32>
    %56 = stablehlo.add %55, %52 : tensor<18xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %58 = stablehlo.add %56, %57 : tensor<18xf32>
    %59 = stablehlo.sine %58 : tensor<18xf32>
    %60 = stablehlo.multiply %52, %52 : tensor<18xf32>
    %cst_12 = stablehlo.constant dense<1.100000e+00> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %62 = stablehlo.multiply %60, %61 : tensor<18xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %64 = stablehlo.add %62, %63 : tensor<18xf32>
    %65 = stablehlo.cosine %64 : tensor<18xf32>
    %66 = stablehlo.convert %65 : (tensor<18xf32>) -> tensor<18xcomplex<f32>>
    %cst_14 = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>
    %67 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<complex<f32>>) -> tensor<18xcomplex<f32>>
    %68 = stablehlo.multiply %67, %66 : tensor<18xcomplex<f32>>
    %69 = stablehlo.convert %59 : (tensor<18xf32>) -> tensor<18xcomplex<f32>>
    %70 = stablehlo.add %69, %68 : tensor<18xcomplex<f32>>
    %71 = stablehlo.reshape %70 : (tensor<18xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %72 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %73 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %74 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %75 = stablehlo.add %72, %74 : tensor<3x3xi32>
    %76 = stablehlo.compare EQ, %75, %73, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %77 = stablehlo.convert %76 : (tensor<3x3xi1>) -> tensor<3x3xcomplex<f32>>
    %cst_16 = stablehlo.constant dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %78 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<complex<f32>>) -> tensor<3x3xcomplex<f32>>
    %79 = stablehlo.multiply %78, %77 : tensor<3x3xcomplex<f32>>
    %80 = stablehlo.broadcast_in_dim %79, dims = [1, 2] : (tensor<3x3xcomplex<f32>>) -> tensor<1x3x3xcomplex<f32>>
    %81 = stablehlo.broadcast_in_dim %80, dims = [0, 1, 2] : (tensor<1x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %82 = stablehlo.add %71, %81 : tensor<2x3x3xcomplex<f32>>
    %83 = stablehlo.iota dim = 0 : tensor<18xf32>
    %84 = stablehlo.multiply %83, %83 : tensor<18xf32>
    %cst_17 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %86 = stablehlo.multiply %84, %85 : tensor<18xf32>
    %87 = stablehlo.add %86, %83 : tensor<18xf32>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %89 = stablehlo.add %87, %88 : tensor<18xf32>
    %90 = stablehlo.sine %89 : tensor<18xf32>
    %91 = stablehlo.multiply %83, %83 : tensor<18xf32>
    %cst_19 = stablehlo.constant dense<1.100000e+00> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %93 = stablehlo.multiply %91, %92 : tensor<18xf32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %95 = stablehlo.add %93, %94 : tensor<18xf32>
    %96 = stablehlo.cosine %95 : tensor<18xf32>
    %97 = stablehlo.convert %96 : (tensor<18xf32>) -> tensor<18xcomplex<f32>>
    %cst_21 = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>
    %98 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<complex<f32>>) -> tensor<18xcomplex<f32>>
    %99 = stablehlo.multiply %98, %97 : tensor<18xcomplex<f32>>
    %100 = stablehlo.convert %90 : (tensor<18xf32>) -> tensor<18xcomplex<f32>>
    %101 = stablehlo.add %100, %99 : tensor<18xcomplex<f32>>
    %102 = stablehlo.reshape %101 : (tensor<18xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %103 = stablehlo.custom_call @lapack_ctrsm_ffi(%82, %102) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 67 : ui8, uplo = 76 : ui8}} : (tensor<2x3x3xcomplex<f32>>, tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %104 = stablehlo.iota dim = 0 : tensor<18xf32>
    %105 = stablehlo.multiply %104, %104 : tensor<18xf32>
    %cst_22 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %107 = stablehlo.multiply %105, %106 : tensor<18xf32>
    %108 = stablehlo.add %107, %104 : tensor<18xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %110 = stablehlo.add %108, %109 : tensor<18xf32>
    %111 = stablehlo.sine %110 : tensor<18xf32>
    %112 = stablehlo.multiply %104, %104 : tensor<18xf32>
    %cst_24 = stablehlo.constant dense<1.100000e+00> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %114 = stablehlo.multiply %112, %113 : tensor<18xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %115 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %116 = stablehlo.add %114, %115 : tensor<18xf32>
    %117 = stablehlo.cosine %116 : tensor<18xf32>
    %118 = stablehlo.convert %117 : (tensor<18xf32>) -> tensor<18xcomplex<f32>>
    %cst_26 = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>
    %119 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<complex<f32>>) -> tensor<18xcomplex<f32>>
    %120 = stablehlo.multiply %119, %118 : tensor<18xcomplex<f32>>
    %121 = stablehlo.convert %111 : (tensor<18xf32>) -> tensor<18xcomplex<f32>>
    %122 = stablehlo.add %121, %120 : tensor<18xcomplex<f32>>
    %123 = stablehlo.reshape %122 : (tensor<18xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %124 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %125 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %c_27 = stablehlo.constant dense<0> : tensor<i32>
    %126 = stablehlo.broadcast_in_dim %c_27, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %127 = stablehlo.add %124, %126 : tensor<3x3xi32>
    %128 = stablehlo.compare EQ, %127, %125, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %129 = stablehlo.convert %128 : (tensor<3x3xi1>) -> tensor<3x3xcomplex<f32>>
    %cst_28 = stablehlo.constant dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %130 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<complex<f32>>) -> tensor<3x3xcomplex<f32>>
    %131 = stablehlo.multiply %130, %129 : tensor<3x3xcomplex<f32>>
    %132 = stablehlo.broadcast_in_dim %131, dims = [1, 2] : (tensor<3x3xcomplex<f32>>) -> tensor<1x3x3xcomplex<f32>>
    %133 = stablehlo.broadcast_in_dim %132, dims = [0, 1, 2] : (tensor<1x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %134 = stablehlo.add %123, %133 : tensor<2x3x3xcomplex<f32>>
    %135 = stablehlo.iota dim = 0 : tensor<18xf32>
    %136 = stablehlo.multiply %135, %135 : tensor<18xf32>
    %cst_29 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %137 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %138 = stablehlo.multiply %136, %137 : tensor<18xf32>
    %139 = stablehlo.add %138, %135 : tensor<18xf32>
    %cst_30 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %141 = stablehlo.add %139, %140 : tensor<18xf32>
    %142 = stablehlo.sine %141 : tensor<18xf32>
    %143 = stablehlo.multiply %135, %135 : tensor<18xf32>
    %cst_31 = stablehlo.constant dense<1.100000e+00> : tensor<f32>
    %144 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %145 = stablehlo.multiply %143, %144 : tensor<18xf32>
    %cst_32 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %146 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %147 = stablehlo.add %145, %146 : tensor<18xf32>
    %148 = stablehlo.cosine %147 : tensor<18xf32>
    %149 = stablehlo.convert %148 : (tensor<18xf32>) -> tensor<18xcomplex<f32>>
    %cst_33 = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>
    %150 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<complex<f32>>) -> tensor<18xcomplex<f32>>
    %151 = stablehlo.multiply %150, %149 : tensor<18xcomplex<f32>>
    %152 = stablehlo.convert %142 : (tensor<18xf32>) -> tensor<18xcomplex<f32>>
    %153 = stablehlo.add %152, %151 : tensor<18xcomplex<f32>>
    %154 = stablehlo.reshape %153 : (tensor<18xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %155 = stablehlo.custom_call @lapack_ctrsm_ffi(%134, %154) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}} : (tensor<2x3x3xcomplex<f32>>, tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %156 = stablehlo.iota dim = 0 : tensor<18xf32>
    %157 = stablehlo.multiply %156, %156 : tensor<18xf32>
    %cst_34 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %158 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %159 = stablehlo.multiply %157, %158 : tensor<18xf32>
    %160 = stablehlo.add %159, %156 : tensor<18xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %161 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %162 = stablehlo.add %160, %161 : tensor<18xf32>
    %163 = stablehlo.sine %162 : tensor<18xf32>
    %164 = stablehlo.multiply %156, %156 : tensor<18xf32>
    %cst_36 = stablehlo.constant dense<1.100000e+00> : tensor<f32>
    %165 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %166 = stablehlo.multiply %164, %165 : tensor<18xf32>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %168 = stablehlo.add %166, %167 : tensor<18xf32>
    %169 = stablehlo.cosine %168 : tensor<18xf32>
    %170 = stablehlo.convert %169 : (tensor<18xf32>) -> tensor<18xcomplex<f32>>
    %cst_38 = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>
    %171 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<complex<f32>>) -> tensor<18xcomplex<f32>>
    %172 = stablehlo.multiply %171, %170 : tensor<18xcomplex<f32>>
    %173 = stablehlo.convert %163 : (tensor<18xf32>) -> tensor<18xcomplex<f32>>
    %174 = stablehlo.add %173, %172 : tensor<18xcomplex<f32>>
    %175 = stablehlo.reshape %174 : (tensor<18xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %176 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %177 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %c_39 = stablehlo.constant dense<0> : tensor<i32>
    %178 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %179 = stablehlo.add %176, %178 : tensor<3x3xi32>
    %180 = stablehlo.compare EQ, %179, %177, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %181 = stablehlo.convert %180 : (tensor<3x3xi1>) -> tensor<3x3xcomplex<f32>>
    %cst_40 = stablehlo.constant dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %182 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<complex<f32>>) -> tensor<3x3xcomplex<f32>>
    %183 = stablehlo.multiply %182, %181 : tensor<3x3xcomplex<f32>>
    %184 = stablehlo.broadcast_in_dim %183, dims = [1, 2] : (tensor<3x3xcomplex<f32>>) -> tensor<1x3x3xcomplex<f32>>
    %185 = stablehlo.broadcast_in_dim %184, dims = [0, 1, 2] : (tensor<1x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %186 = stablehlo.add %175, %185 : tensor<2x3x3xcomplex<f32>>
    %187 = stablehlo.iota dim = 0 : tensor<18xf32>
    %188 = stablehlo.multiply %187, %187 : tensor<18xf32>
    %cst_41 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %189 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %190 = stablehlo.multiply %188, %189 : tensor<18xf32>
    %191 = stablehlo.add %190, %187 : tensor<18xf32>
    %cst_42 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %192 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %193 = stablehlo.add %191, %192 : tensor<18xf32>
    %194 = stablehlo.sine %193 : tensor<18xf32>
    %195 = stablehlo.multiply %187, %187 : tensor<18xf32>
    %cst_43 = stablehlo.constant dense<1.100000e+00> : tensor<f32>
    %196 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %197 = stablehlo.multiply %195, %196 : tensor<18xf32>
    %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %198 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %199 = stablehlo.add %197, %198 : tensor<18xf32>
    %200 = stablehlo.cosine %199 : tensor<18xf32>
    %201 = stablehlo.convert %200 : (tensor<18xf32>) -> tensor<18xcomplex<f32>>
    %cst_45 = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>
    %202 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<complex<f32>>) -> tensor<18xcomplex<f32>>
    %203 = stablehlo.multiply %202, %201 : tensor<18xcomplex<f32>>
    %204 = stablehlo.convert %194 : (tensor<18xf32>) -> tensor<18xcomplex<f32>>
    %205 = stablehlo.add %204, %203 : tensor<18xcomplex<f32>>
    %206 = stablehlo.reshape %205 : (tensor<18xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %207 = chlo.conj %186 : tensor<2x3x3xcomplex<f32>> -> tensor<2x3x3xcomplex<f32>>
    %208 = stablehlo.custom_call @lapack_ctrsm_ffi(%207, %206) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}} : (tensor<2x3x3xcomplex<f32>>, tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %209 = stablehlo.reshape %51 : (tensor<2x3x3xcomplex<f32>>) -> tensor<18xcomplex<f32>>
    %210 = stablehlo.real %209 : (tensor<18xcomplex<f32>>) -> tensor<18xf32>
    %211 = stablehlo.imag %209 : (tensor<18xcomplex<f32>>) -> tensor<18xf32>
    %212 = stablehlo.reshape %103 : (tensor<2x3x3xcomplex<f32>>) -> tensor<18xcomplex<f32>>
    %213 = stablehlo.real %212 : (tensor<18xcomplex<f32>>) -> tensor<18xf32>
    %214 = stablehlo.imag %212 : (tensor<18xcomplex<f32>>) -> tensor<18xf32>
    %215 = stablehlo.reshape %155 : (tensor<2x3x3xcomplex<f32>>) -> tensor<18xcomplex<f32>>
    %216 = stablehlo.real %215 : (tensor<18xcomplex<f32>>) -> tensor<18xf32>
    %217 = stablehlo.imag %215 : (tensor<18xcomplex<f32>>) -> tensor<18xf32>
    %218 = stablehlo.reshape %208 : (tensor<2x3x3xcomplex<f32>>) -> tensor<18xcomplex<f32>>
    %219 = stablehlo.real %218 : (tensor<18xcomplex<f32>>) -> tensor<18xf32>
    %220 = stablehlo.imag %218 : (tensor<18xcomplex<f32>>) -> tensor<18xf32>
    %221 = stablehlo.concatenate %210, %211, %213, %214, %216, %217, %219, %220, dim = 0 : (tensor<18xf32>, tensor<18xf32>, tensor<18xf32>, tensor<18xf32>, tensor<18xf32>, tensor<18xf32>, tensor<18xf32>, tensor<18xf32>) -> tensor<144xf32>
    return %221 : tensor<144xf32>
  }
}
