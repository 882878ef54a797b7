// expect 0 -0.652544 -0.361829 -0.339577 -0.38889 -0.532641 0.584593 0.4102 -0.699651 -0.736844 0.504664 -0.309615 -0.58308 0.3502 0.731933 0.564511 -0.204275 0.578127 -0.481233 -0.865819 0.0382013 0.331302 -0.293238 0.358585 -0.366501 0.308011 -0.232744 0 -1.51969 1.57463 0 0 -0.0866388 0.502467 0.255498 -0.259242 0 -1.29567 1.28619 0 0 -0.285406 0 -0.506134 0.0199708 -0.088962 -0.448044 0.244219 0.153151 0.201001 -0.300378 -0.714812 -0.0945431 0.472795 0.635604 -0.422212 0.386579 0.231693 0.561678 0.690473 -1.39897 -0.438824 -0.0386646 0 -1.47996 1.32639 0 0 -0.53721 0 0.339402 -0.427814 0 0 -0.0877653 0 0 0 0 -0.93279 0.360421 0.898603 0.158139 0.409273 -0.438762 0.323876 0.838208 -1.10857 0.32559 0 -1.06312 0 0 0 -1 -1 1.19209e-07 -0.486399 0.487174 0.214254 0.443316 0 -0.991665 0.996165 -0.124455
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<105xf32> {jax.result_info = "result"}) {
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
    %9:2 = call @qr(%8) : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x3x3xf32>)
    %10 = stablehlo.iota dim = 0 : tensor<9xf32>
    %11 = stablehlo.multiply %10, %10 : tensor<9xf32>
    %cst_1 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %13 = stablehlo.multiply %11, %12 : tensor<9xf32>
    %14 = stablehlo.add %13, %10 : tensor<9xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %16 = stablehlo.add %14, %15 : tensor<9xf32>
    %17 = stablehlo.sine %16 : tensor<9xf32>
    %18 = stablehlo.multiply %10, %10 : tensor<9xf32>
    %cst_3 = stablehlo.constant dense<1.100000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %20 = stablehlo.multiply %18, %19 : tensor<9xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<9xf32>
    %22 = stablehlo.add %20, %21 : tensor<9xf32>
    %23 = stablehlo.cosine %22 : tensor<9xf32>
    %24 = stablehlo.convert %23 : (tensor<9xf32>) -> tensor<9xcomplex<f32>>
    %cst_5 = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>
    %25 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<complex<f32>>) -> tensor<9xcomplex<f32>>
    %26 = stablehlo.multiply %25, %24 : tensor<9xcomplex<f32>>
    %27 = stablehlo.convert %17 : (tensor<9xf32>) -> tensor<9xcomplex<f32>>
    %28 = stablehlo.add %27, %26 : tensor<9xcomplex<f32>>
    %29 = stablehlo.reshape %28 : (tensor<9xcomplex<f32>>) -> tensor<3x3xcomplex<f32>>
    %30:2 = call @qr_0(%29) : (tensor<3x3xcomplex<f32>>) -> (tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>)
    %31 = stablehlo.iota dim = 0 : tensor<6xf32>
    %32 = stablehlo.multiply %31, %31 : tensor<6xf32>
    %cst_6 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %34 = stablehlo.multiply %32, %33 : tensor<6xf32>
    %35 = stablehlo.add %34, %31 : tensor<6xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %37 = stablehlo.add %35, %36 : tensor<6xf32>
    %38 = stablehlo.sine %37 : tensor<6xf32>
    %39 = stablehlo.reshape %38 : (tensor<6xf32>) -> tensor<3x2xf32>
    %40:2 = call @qr_1(%39) : (tensor<3x2xf32>) -> (tensor<3x3xf32>, tensor<3x2xf32>)
    %41 = stablehlo.iota dim = 0 : tensor<8xf32>
    %42 = stablehlo.multiply %41, %41 : tensor<8xf32>
    %cst_8 = stablehlo.constant dense<0.699999988> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %44 = stablehlo.multiply %42, %43 : tensor<8xf32>
    %45 = stablehlo.add %44, %41 : tensor<8xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %47 = stablehlo.add %45, %46 : tensor<8xf32>
    %48 = stablehlo.sine %47 : tensor<8xf32>
    %49 = stablehlo.reshape %48 : (tensor<8xf32>) -> tensor<2x4xf32>
    %50:2 = call @qr_2(%49) : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x4xf32>)
    %51 = stablehlo.reshape %9#0 : (tensor<2x4x3xf32>) -> tensor<24xf32>
    %52 = stablehlo.reshape %9#1 : (tensor<2x3x3xf32>) -> tensor<18xf32>
    %53 = stablehlo.reshape %30#0 : (tensor<3x3xcomplex<f32>>) -> tensor<9xcomplex<f32>>
    %54 = stablehlo.real %53 : (tensor<9xcomplex<f32>>) -> tensor<9xf32>
    %55 = stablehlo.imag %53 : (tensor<9xcomplex<f32>>) -> tensor<9xf32>
    %56 = stablehlo.reshape %30#1 : (tensor<3x3xcomplex<f32>>) -> tensor<9xcomplex<f32>>
    %57 = stablehlo.real %56 : (tensor<9xcomplex<f32>>) -> tensor<9xf32>
    %58 = stablehlo.imag %56 : (tensor<9xcomplex<f32>>) -> tensor<9xf32>
    %59 = stablehlo.reshape %40#0 : (tensor<3x3xf32>) -> tensor<9xf32>
    %60 = stablehlo.reshape %40#1 : (tensor<3x2xf32>) -> tensor<6xf32>
    %61 = stablehlo.reshape %50#0 : (tensor<2x2xf32>) -> tensor<4xf32>
    %62 = stablehlo.reshape %50#1 : (tensor<2x4xf32>) -> tensor<8xf32>
    %63 = stablehlo.concatenate %51, %52, %54, %55, %57, %58, %59, %60, %61, %62, dim = 0 : (tensor<24xf32>, tensor<18xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<9xf32>, tensor<6xf32>, tensor<4xf32>, tensor<8xf32>) -> tensor<105xf32>
    return %63 : tensor<105xf32>
  }
  func.func private @qr(%arg0: tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x3x3xf32>) {
    %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}} : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x3xf32>)
    %1 = stablehlo.custom_call @lapack_sorgqr_ffi(%0#0, %0#1) {backend_config = "", mhlo.backend_config = {}} : (tensor<2x4x3xf32>, tensor<2x3xf32>) -> tensor<2x4x3xf32>
    %2 = stablehlo.slice %0#0 [0:2, 0:3, 0:3] : (tensor<2x4x3xf32>) -> tensor<2x3x3xf32>
    %3 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %5 = stablehlo.add %3, %4 : tensor<3x3xi32>
    %6 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1, 2] : (tensor<3x3xi1>) -> tensor<2x3x3xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3x3xf32>
    %10 = stablehlo.select %8, %9, %2 : tensor<2x3x3xi1>, tensor<2x3x3xf32>
    return %1, %10 : tensor<2x4x3xf32>, tensor<2x3x3xf32>
  }
  func.func private @qr_0(%arg0: tensor<3x3xcomplex<f32>>) -> (tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>) {
    %0:2 = stablehlo.custom_call @lapack_cgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}} : (tensor<3x3xcomplex<f32>>) -> (tensor<3x3xcomplex<f32>>, tensor<3xcomplex<f32>>)
    %1 = stablehlo.custom_call @lapack_cungqr_ffi(%0#0, %0#1) {backend_config = "", mhlo.backend_config = {}} : (tensor<3x3xcomplex<f32>>, tensor<3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>>
    %2 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %4 = stablehlo.add %2, %3 : tensor<3x3xi32>
    %5 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %6 = stablehlo.compare GE, %4, %5, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<3x3xcomplex<f32>>
    %8 = stablehlo.select %6, %7, %0#0 : tensor<3x3xi1>, tensor<3x3xcomplex<f32>>
    return %1, %8 : tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>
  }
  func.func private @qr_1(%arg0: tensor<3x2xf32>) -> (tensor<3x3xf32>, tensor<3x2xf32>) {
    %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}} : (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>)
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.pad %0#0, %cst, low = [0, 0], high = [0, 1], interior = [0, 0] : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x3xf32>
    %2 = stablehlo.custom_call @lapack_sorgqr_ffi(%1, %0#1) {backend_config = "", mhlo.backend_config = {}} : (tensor<3x3xf32>, tensor<2xf32>) -> tensor<3x3xf32>
    %3 = stablehlo.iota dim = 0 : tensor<3x2xi32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x2xi32>
    %5 = stablehlo.add %3, %4 : tensor<3x2xi32>
    %6 = stablehlo.iota dim = 1 : tensor<3x2xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<3x2xi32>, tensor<3x2xi32>) -> tensor<3x2xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %9 = stablehlo.select %7, %8, %0#0 : tensor<3x2xi1>, tensor<3x2xf32>
    return %2, %9 : tensor<3x3xf32>, tensor<3x2xf32>
  }
  func.func private @qr_2(%arg0: tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x4xf32>) {
    %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}} : (tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2xf32>)
    %1 = stablehlo.slice %0#0 [0:2, 0:2] : (tensor<2x4xf32>) -> tensor<2x2xf32>
    %2 = stablehlo.custom_call @lapack_sorgqr_ffi(%1, %0#1) {backend_config = "", mhlo.backend_config = {}} : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
    %3 = stablehlo.iota dim = 0 : tensor<2x4xi32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x4xi32>
    %5 = stablehlo.add %3, %4 : tensor<2x4xi32>
    %6 = stablehlo.iota dim = 1 : tensor<2x4xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<2x4xi32>, tensor<2x4xi32>) -> tensor<2x4xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
    %9 = stablehlo.select %7, %8, %0#0 : tensor<2x4xi1>, tensor<2x4xf32>
    return %2, %9 : tensor<2x2xf32>, tensor<2x4xf32>
  }
}
