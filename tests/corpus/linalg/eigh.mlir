// expect 2.14613 3.77228 6.77688 2.20831 2.94185 7.81439 0.494763 0.349671 0.795575 0.305444 0.903744 0.299919 0.813581 0.246936 0.526411 0.651851 0.0961935 0.752221 0.503769 0.764033 0.403076 0.566839 0.637965 0.521242 5.27595 0.441389 -1.81829 0.441389 3.89083 -0.71172 -1.81829 -0.71172 3.52851 5.38722 1.70981 -1.97541 1.70981 3.54733 -0.778769 -1.97541 -0.778769 4.03 0 -0.530449 0.563821 0.530449 2.98023e-08 0.248913 -0.563821 -0.248914 1.30385e-08 0 0.109079 0.919307 -0.10908 -5.96046e-08 0.292305 -0.919307 -0.292305 2.98023e-08
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<60xf32> {jax.result_info = "result"}) {
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
    %37:2 = call @eigh(%36) : (tensor<2x3x3xcomplex<f32>>) -> (tensor<2x3xf32>, tensor<2x3x3xcomplex<f32>>)
    %38 = stablehlo.abs %37#1 : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xf32>
    %39 = stablehlo.broadcast_in_dim %37#0, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
    %40 = stablehlo.real %37#1 : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xf32>
    %41 = stablehlo.imag %37#1 : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xf32>
    %42 = stablehlo.negate %41 : tensor<2x3x3xf32>
    %43 = stablehlo.complex %40, %42 : tensor<2x3x3xcomplex<f32>>
    %44 = stablehlo.transpose %43, dims = [0, 2, 1] : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %45 = stablehlo.convert %39 : (tensor<2x3x1xf32>) -> tensor<2x3x1xcomplex<f32>>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2] : (tensor<2x3x1xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %47 = stablehlo.multiply %46, %44 : tensor<2x3x3xcomplex<f32>>
    %48 = stablehlo.dot_general %37#1, %47, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x3x3xcomplex<f32>>, tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %49 = stablehlo.reshape %37#0 : (tensor<2x3xf32>) -> tensor<6xf32>
    %50 = stablehlo.reshape %38 : (tensor<2x3x3xf32>) -> tensor<18xf32>
    %51 = stablehlo.reshape %48 : (tensor<2x3x3xcomplex<f32>>) -> tensor<18xcomplex<f32>>
    %52 = stablehlo.real %51 : (tensor<18xcomplex<f32>>) -> tensor<18xf32>
    %53 = stablehlo.imag %51 : (tensor<18xcomplex<f32>>) -> tensor<18xf32>
    %54 = stablehlo.concatenate %49, %50, %52, %53, dim = 0 : (tensor<6xf32>, tensor<18xf32>, tensor<18xf32>, tensor<18xf32>) -> tensor<60xf32>
    return %54 : tensor<60xf32>
  }
  func.func private @eigh(%arg0: tensor<2x3x3xcomplex<f32>>) -> (tensor<2x3xf32>, tensor<2x3x3xcomplex<f32>>) {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %1 = stablehlo.real %0 : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xf32>
    %2 = stablehlo.imag %0 : (tensor<2x3x3xcomplex<f32>>) -> tensor<2x3x3xf32>
    %3 = stablehlo.negate %2 : tensor<2x3x3xf32>
    %4 = stablehlo.complex %1, %3 : tensor<2x3x3xcomplex<f32>>
    %5 = stablehlo.add %arg0, %4 : tensor<2x3x3xcomplex<f32>>
    %cst = stablehlo.constant dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %7 = stablehlo.divide %5, %6 : tensor<2x3x3xcomplex<f32>>
    %8:3 = stablehlo.custom_call @lapack_cheevd_ffi(%7) {backend_config = "", mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<2x3x3xcomplex<f32>>) -> (tensor<2x3x3xcomplex<f32>>, tensor<2x3xf32>, tensor<2xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %10 = stablehlo.compare EQ, %8#2, %9, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_0 = stablehlo.constant dense<(0x7FC00000,0x7FC00000)> : tensor<complex<f32>>
    %12 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<2x3x3xcomplex<f32>>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x3x3xi1>
    %14 = stablehlo.select %13, %8#0, %12 : tensor<2x3x3xi1>, tensor<2x3x3xcomplex<f32>>
    %15 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %17 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x3xi1>
    %18 = stablehlo.select %17, %8#1, %16 : tensor<2x3xi1>, tensor<2x3xf32>
    return %18, %14 : tensor<2x3xf32>, tensor<2x3x3xcomplex<f32>>
  }
}
