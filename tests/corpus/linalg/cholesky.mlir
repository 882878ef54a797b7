// expect 2.29694 0 0 0.192163 1.94951 0 -0.791611 -0.257969 1.65413 2.32104 0 0 0.736656 1.73276 0 -0.851088 -0.0983544 1.7716 0 0 0 0.230937 0 0 -0.245466 -0.197258 0 0 0 0 -0.046996 0 0 -0.396075 0.0227754 0 1.99393 0.485299 -0.505486 0 1.5013 -0.183108 0 0 1.50958 2.01165 0.452286 -0.447321 0 1.54879 -0.227709 0 0 1.52489 nan 0 nan nan nan 0 nan nan
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<62xf32> {jax.result_info = "result"}) {
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
    %20 = stablehlo.real %19 : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xf32>
    %21 = stablehlo.imag %19 : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xf32>
    %22 = stablehlo.negate %21 : tensor<2x3x3xf32>
    %23 = stablehlo.complex %20, %22 : tensor<2x3x3xcomplex<f32>>
    %24 = stablehlo.transpose %23, dims = [0, 2, 1] : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %25 = stablehlo.dot_general %19, %24, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x3x3xcomplex<f32>>, tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %26 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %27 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %28 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %29 = stablehlo.add %26, %28 : tensor<3x3xi32>
    %30 = stablehlo.compare EQ, %29, %27, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %31 = stablehlo.convert %30 : (tensor<3x3xi1>) -> tensor<3x3xcomplex<f32>>
    %cst_4 = stablehlo.constant dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %32 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<complex<f32>>) -> tensor<3x3xcomplex<f32>>
    %33 = stablehlo.multiply %32, %31 : tensor<3x3xcomplex<f32>>
    %34 = stablehlo.broadcast_in_dim %33, dims = [1, 2] : (tensor<3x3xcomplex<f32>>) -> tensor<1x3x3xcomplex<f32>>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2] : (tensor<1x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %36 = stablehlo.add %25, %35 : tensor<2x3x3xcomplex<f32>>
    %37 = call @cholesky(%36) : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %38 = stablehlo.iota dim = 0 : tensor<18xf32>
    %39 = stablehlo.multiply %38, %38 : tensor<18xf32>
    %cst_5 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %41 = stablehlo.multiply %39, %40 : tensor<18xf32>
    %42 = stablehlo.add %41, %38 : tensor<18xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<18xf32>
    %44 = stablehlo.add %42, %43 : tensor<18xf32>
    %45 = stablehlo.sine %44 : tensor<18xf32>
    %46 = stablehlo.reshape %45 : (tensor<18xf32>) -> tensor<2x3x3xf32>
    %47 = stablehlo.transpose %46, dims = [0, 2, 1] : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %48 = stablehlo.dot_general %46, %47, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %49 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %50 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %51 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %52 = stablehlo.add %49, %51 : tensor<3x3xi32>
    %53 = stablehlo.compare EQ, %52, %50, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %54 = stablehlo.convert %53 : (tensor<3x3xi1>) -> tensor<3x3xf32>
    %cst_8 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %56 = stablehlo.multiply %55, %54 : tensor<3x3xf32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [1, 2] : (tensor<3x3xf32>) -> tensor<1x3x3xf32>
    %58 = stablehlo.broadcast_in_dim %57, dims = [0, 1, 2] : (tensor<1x3x3xf32>) -> tensor<2x3x3xf32>
    %59 = stablehlo.add %48, %58 : tensor<2x3x3xf32>
    %60 = call @cholesky_0(%59) : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %61 = stablehlo.iota dim = 0 : tensor<8xf32>
    %62 = stablehlo.multiply %61, %61 : tensor<8xf32>
    %cst_9 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %64 = stablehlo.multiply %62, %63 : tensor<8xf32>
    %65 = stablehlo.add %64, %61 : tensor<8xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %67 = stablehlo.add %65, %66 : tensor<8xf32>
    %68 = stablehlo.sine %67 : tensor<8xf32>
    %69 = stablehlo.reshape %68 : (tensor<8xf32>) -> tensor<2x2x2xf32>
    %70 = stablehlo.transpose %69, dims = [0, 2, 1] : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %71 = stablehlo.dot_general %69, %70, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %72 = stablehlo.iota dim = 0 : tensor<2x2xi32>
    %73 = stablehlo.iota dim = 1 : tensor<2x2xi32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %74 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
    %75 = stablehlo.add %72, %74 : tensor<2x2xi32>
    %76 = stablehlo.compare EQ, %75, %73, SIGNED : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
    %77 = stablehlo.convert %76 : (tensor<2x2xi1>) -> tensor<2x2xf32>
    %cst_12 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
    %79 = stablehlo.multiply %78, %77 : tensor<2x2xf32>
    %80 = stablehlo.broadcast_in_dim %79, dims = [1, 2] : (tensor<2x2xf32>) -> tensor<1x2x2xf32>
    %81 = stablehlo.broadcast_in_dim %80, dims = [0, 1, 2] : (tensor<1x2x2xf32>) -> tensor<2x2x2xf32>
    %82 = stablehlo.add %71, %81 : tensor<2x2x2xf32>
    %83 = stablehlo.negate %82 : tensor<2x2x2xf32>
    %84 = call @cholesky_1(%83) : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %85 = stablehlo.reshape %37 : (tensor<2x3x3xcomplex<f32>>) -> tensor<18xcomplex<f32>>
    %86 = stablehlo.real %85 : (tensor<18xcomplex<f32>>) -> tensor<18xf32>
    %87 = stablehlo.imag %85 : (tensor<18xcomplex<f32>>) -> tensor<18xf32>
    %88 = stablehlo.reshape %60 : (tensor<2x3x3xf32>) -> tensor<18xf32>
    %89 = stablehlo.reshape %84 : (tensor<2x2x2xf32>) -> tensor<8xf32>
    %90 = stablehlo.concatenate %86, %87, %88, %89, dim = 0 : (tensor<18xf32>, tensor<18xf32>, tensor<18xf32>, tensor<8xf32>) -> tensor<62xf32>
    return %90 : tensor<62xf32>
  }
  func.func private @cholesky(%arg0: tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>> {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %1 = stablehlo.real %0 : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xf32>
    %2 = stablehlo.imag %0 : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xf32>
    %3 = stablehlo.negate %2 : tensor<2x3x3xf32>
    %4 = stablehlo.complex %1, %3 : tensor<2x3x3xcomplex<f32>>
    %5 = stablehlo.add %arg0, %4 : tensor<2x3x3xcomplex<f32>>
    %cst = stablehlo.constant dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %7 = stablehlo.divide %5, %6 : tensor<2x3x3xcomplex<f32>>
    %8:2 = stablehlo.custom_call @lapack_cpotrf_ffi(%7) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x3x3xcomplex<f32>>) -> (tensor<2x3x3xcomplex<f32>>, tensor<2xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %10 = stablehlo.compare EQ, %8#1, %9, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_0 = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %12 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x3x3xi1>
    %14 = stablehlo.select %13, %8#0, %12 : tensor<2x3x3xi1>, tensor<2x3x3xcomplex<f32>>
    %15 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %17 = stablehlo.add %15, %16 : tensor<3x3xi32>
    %18 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %19 = stablehlo.compare GE, %17, %18, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %20 = stablehlo.broadcast_in_dim %19, dims = [1, 2] : (tensor<3x3xi1>) -> tensor<2x3x3xi1>
    %cst_2 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %21 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<complex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %22 = stablehlo.select %20, %14, %21 : tensor<2x3x3xi1>, tensor<2x3x3xcomplex<f32>>
    return %22 : tensor<2x3x3xcomplex<f32>>
  }
  func.func private @cholesky_0(%arg0: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
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
    %19 = stablehlo.transpose %18, dims = [0, 2, 1] : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    return %19 : tensor<2x3x3xf32>
  }
  func.func private @cholesky_1(%arg0: tensor<2x2x2xf32>) -> tensor<2x2x2xf32> {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<2x2x2xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2x2xf32>
    %3 = stablehlo.divide %1, %2 : tensor<2x2x2xf32>
    %4:2 = stablehlo.custom_call @lapack_spotrf_ffi(%3) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<2x2x2xf32>) -> (tensor<2x2x2xf32>, tensor<2xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %6 = stablehlo.compare EQ, %4#1, %5, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x2x2xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x2x2xi1>
    %10 = stablehlo.select %9, %4#0, %8 : tensor<2x2x2xi1>, tensor<2x2x2xf32>
    %11 = stablehlo.iota dim = 0 : tensor<2x2xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
    %13 = stablehlo.add %11, %12 : tensor<2x2xi32>
    %14 = stablehlo.iota dim = 1 : tensor<2x2xi32>
    %15 = stablehlo.compare GE, %13, %14, SIGNED : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
    %16 = stablehlo.broadcast_in_dim %15, dims = [1, 2] : (tensor<2x2xi1>) -> tensor<2x2x2xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x2x2xf32>
    %18 = stablehlo.select %16, %10, %17 : tensor<2x2x2xi1>, tensor<2x2x2xf32>
    return %18 : tensor<2x2x2xf32>
  }
}
